async function serialise(given, element, wantsTitle) {
  const value = typeof given === 'function' ? await given(element) : await given;
  let title = null;
  try {
    // Named elements may hide a document's own properties.
    if (wantsTitle) title = `${Object.getOwnPropertyDescriptor(Document.prototype, 'title').get.call(document)}`;
  } catch {}
  let seen;
  // Like structured cloning, but with the losses that a JSON reader expects.
  const plain = (x, inArray) => {
    if (x === null || typeof x === 'boolean' || typeof x === 'string') return x;
    if (typeof x === 'number') return Number.isFinite(x) ? (Object.is(x, -0) ? 0 : x) : null;
    if (typeof x === 'bigint') throw new TypeError('Do not know how to serialize a BigInt');
    if (typeof x !== 'object') return inArray ? null : undefined;
    if (typeof Window === 'function' && x instanceof Window) return 'ref: <Window>';
    if (typeof Document === 'function' && x instanceof Document) return 'ref: <Document>';
    if (typeof Node === 'function' && x instanceof Node) return 'ref: <Node>';
    if (x instanceof Date) return Number.isNaN(x.getTime()) ? null : x.toISOString();
    if (typeof URL === 'function' && x instanceof URL) return x.href;
    if (x instanceof RegExp || x instanceof Map || x instanceof Set) return {};
    if (x instanceof Error) return { name: x.name };
    if (seen.has(x)) throw new TypeError('Converting circular structure to JSON');
    seen.add(x);
    let copy;
    if (Array.isArray(x)) {
      copy = [];
      for (let i = 0; i < x.length; i++) copy.push(plain(x[i], true));
    } else {
      // An object's own properties come first; what it says of itself counts when it has none.
      const keys = Object.keys(x);
      if (!keys.length && typeof x.toJSON === 'function') {
        copy = plain(x.toJSON(), inArray);
        seen.delete(x);
        return copy;
      }
      copy = {};
      for (const key of keys) {
        let item;
        try {
          item = x[key];
        } catch {
          continue;
        }
        const clean = key === 'toJSON' && typeof item === 'function' ? {} : plain(item, false);
        if (clean !== undefined) Object.defineProperty(copy, key, { value: clean, enumerable: true, configurable: true, writable: true });
      }
    }
    seen.delete(x);
    return copy;
  };
  // Pages may have replaced what this needs; then the browser's own serialiser has to do.
  try {
    seen = new Set();
    JSON.stringify({});
    Object.keys([]);
  } catch {
    return [null, title, value];
  }
  const clean = plain(value, false);
  return [clean === undefined ? null : JSON.stringify(clean, null, 2), title];
}
