// The web platform's globals that scripts may expect.
(function (native, kit) {
  'use strict';

  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const VALUES = { __proto__: null, '-': 62, _: 63 };
  for (let i = 0; i < 64; i += 1) VALUES[DIGITS[i]] = i;

  const toBase64 = (bytes) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 3) {
      const word = (bytes[i] << 16) | ((bytes[i + 1] || 0) << 8) | (bytes[i + 2] || 0);
      text += DIGITS[word >> 18] + DIGITS[(word >> 12) & 63];
      text += i + 1 < bytes.length ? DIGITS[(word >> 6) & 63] : '=';
      text += i + 2 < bytes.length ? DIGITS[word & 63] : '=';
    }
    return text;
  };
  // Whatever is no digit is skipped, as Node does.
  const fromBase64 = (text) => {
    const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
    let length = 0;
    let word = 0;
    let bits = 0;
    for (let i = 0; i < text.length; i += 1) {
      const value = VALUES[text[i]];
      if (value === undefined) continue;
      word = ((word << 6) | value) & 0xffffff;
      bits += 6;
      if (bits >= 8) {
        bits -= 8;
        bytes[length] = (word >> bits) & 255;
        length += 1;
      }
    }
    return bytes.subarray(0, length);
  };

  const encode = (text) => {
    const bytes = [];
    for (const character of text) {
      let code = character.codePointAt(0);
      if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
      else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    }
    return new Uint8Array(bytes);
  };

  // UTF-8 as the Encoding standard decodes it: one U+FFFD for each part that cannot be continued.
  const decode = (bytes, fatal) => {
    let text = '';
    let needed = 0;
    let code = 0;
    let low = 0x80;
    let high = 0xbf;
    const wrong = () => {
      if (fatal) throw new TypeError('The encoded data was not valid.');
      text += '\ufffd';
      needed = 0;
    };
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i];
      if (needed && (byte < low || byte > high)) wrong();
      else if (needed) {
        low = 0x80;
        high = 0xbf;
        code = (code << 6) | (byte & 63);
        needed -= 1;
        if (!needed) text += String.fromCodePoint(code);
        continue;
      }
      low = 0x80;
      high = 0xbf;
      if (byte < 0x80) text += String.fromCharCode(byte);
      else if (byte >= 0xc2 && byte < 0xe0) [needed, code] = [1, byte & 31];
      else if (byte >= 0xe0 && byte < 0xf0) {
        [needed, code] = [2, byte & 15];
        if (byte === 0xe0) low = 0xa0;
        if (byte === 0xed) high = 0x9f;
      } else if (byte >= 0xf0 && byte < 0xf5) {
        [needed, code] = [3, byte & 7];
        if (byte === 0xf0) low = 0x90;
        if (byte === 0xf4) high = 0x8f;
      } else wrong();
    }
    if (needed) wrong();
    return text;
  };

  const bytesOf = (source) => {
    if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    throw new TypeError('bytes are needed');
  };

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return encode(String(text)); }
  }
  class TextDecoder {
    #fatal;
    constructor(label = 'utf-8', { fatal = false } = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label)) throw new RangeError(`encoding not supported: ${label}`);
      this.#fatal = fatal;
    }
    get encoding() { return 'utf-8'; }
    decode(source) {
      const text = source === undefined ? '' : decode(bytesOf(source), this.#fatal);
      return text[0] === '\ufeff' ? text.slice(1) : text;
    }
  }

  const latin = (bytes) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 1) text += String.fromCharCode(bytes[i]);
    return text;
  };

  // The part of Node's Buffer that scripts use on screenshots and bodies.
  class Buffer extends Uint8Array {
    static from(value, encoding = 'utf8') {
      if (typeof value !== 'string') {
        return super.from(value instanceof ArrayBuffer ? new Uint8Array(value) : value?.type === 'Buffer' ? value.data : value);
      }
      switch (String(encoding).toLowerCase()) {
        case 'utf8': case 'utf-8': return super.from(encode(value));
        case 'base64': case 'base64url': return super.from(fromBase64(value));
        case 'hex': return super.from((value.match(/[\da-f]{2}/gi) ?? []).map((pair) => parseInt(pair, 16)));
        case 'latin1': case 'binary': case 'ascii': return super.from(value, (c) => c.charCodeAt(0) & 255);
        default: throw new TypeError(`Unknown encoding: ${encoding}`);
      }
    }
    static alloc(size, fill = 0) { return new Buffer(size).fill(fill); }
    static isBuffer(value) { return value instanceof Buffer; }
    static byteLength(text) { return encode(String(text)).length; }
    static concat(list) {
      const whole = new Buffer(list.reduce((sum, one) => sum + one.length, 0));
      let at = 0;
      for (const one of list) {
        whole.set(one, at);
        at += one.length;
      }
      return whole;
    }
    toString(encoding = 'utf8') {
      switch (String(encoding).toLowerCase()) {
        case 'utf8': case 'utf-8': return decode(this, false);
        case 'base64': return toBase64(this);
        case 'base64url': return toBase64(this).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
        case 'hex': return Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('');
        case 'latin1': case 'binary': case 'ascii': return latin(this);
        default: throw new TypeError(`Unknown encoding: ${encoding}`);
      }
    }
    equals(other) { return this.length === other.length && this.every((byte, i) => byte === other[i]); }
    toJSON() { return { type: 'Buffer', data: Array.from(this) }; }
  }
  kit.buffer = (answer) => Buffer.from(answer.base64, 'base64');
  kit.base64 = (value) => toBase64(typeof value === 'string' ? encode(value) : bytesOf(value));

  // Parts of an address, in the order in which they come from Rust.
  const PARTS = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin'];

  class URL {
    #parts;
    #params;
    constructor(address, base) {
      const parts = native.parseUrl(String(address).toWellFormed(), base === undefined ? undefined : String(base));
      if (!parts) throw new TypeError('Invalid URL');
      this.#parts = parts;
    }
    static canParse(address, base) {
      try {
        return Boolean(new URL(address, base));
      } catch {
        return false;
      }
    }
    static parse(address, base) { return URL.canParse(address, base) ? new URL(address, base) : null; }
    get searchParams() {
      this.#params ??= new URLSearchParams(this.search, (text) => { this.#set('search', text); });
      return this.#params;
    }
    #set(part, value) {
      const parts = native.changeUrl(this.#parts[0], part, value);
      if (parts) this.#parts = parts;
      else if (part === 'href') throw new TypeError('Invalid URL');
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
    static {
      PARTS.forEach((part, i) => {
        Object.defineProperty(URL.prototype, part, {
          configurable: true,
          enumerable: true,
          get() { return this.#parts[i]; },
          set: part === 'origin' ? undefined : function set(value) {
            this.#set(part, String(value).toWellFormed());
            if (part === 'search' || part === 'href') this.#params?.reread(this.search);
          },
        });
      });
    }
  }

  const unescapeForm = (text) => {
    const bytes = encode(text.replace(/\+/g, ' '));
    const out = [];
    for (let i = 0; i < bytes.length; i += 1) {
      const digits = bytes[i] === 37 ? latin(bytes.subarray(i + 1, i + 3)) : '';
      if (/^[\da-f]{2}$/i.test(digits)) {
        out.push(parseInt(digits, 16));
        i += 2;
      } else out.push(bytes[i]);
    }
    return decode(out, false);
  };
  const escapeForm = (text) => {
    let out = '';
    for (const byte of encode(text)) {
      const character = String.fromCharCode(byte);
      if (character === ' ') out += '+';
      else out += /[\w*.-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }
    return out;
  };

  class URLSearchParams {
    #pairs = [];
    #changed;
    constructor(init = '', changed = undefined) {
      // Only the URL class has a function to give.
      this.#changed = typeof changed === 'function' ? changed : () => {};
      if (typeof init === 'object' && init !== null) {
        const pairs = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
        for (const [name, value] of pairs) this.#pairs.push([String(name), String(value)]);
      } else this.#read(String(init));
      Object.defineProperty(this, 'reread', { value: (text) => this.#read(text) });
    }
    #read(text) {
      this.#pairs = text.replace(/^\?/, '').split('&').filter(Boolean).map((pair) => {
        const at = pair.indexOf('=');
        const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
        return [unescapeForm(name), unescapeForm(value)];
      });
    }
    #update(pairs) {
      this.#pairs = pairs;
      this.#changed(this.toString());
    }
    get size() { return this.#pairs.length; }
    get(name) { return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]); }
    has(name) { return this.#pairs.some((pair) => pair[0] === String(name)); }
    append(name, value) { this.#update([...this.#pairs, [String(name), String(value)]]); }
    delete(name) { this.#update(this.#pairs.filter((pair) => pair[0] !== String(name))); }
    set(name, value) {
      const first = this.#pairs.findIndex((pair) => pair[0] === String(name));
      if (first < 0) return this.append(name, value);
      this.#pairs[first] = [String(name), String(value)];
      return this.#update(this.#pairs.filter((pair, i) => i <= first || pair[0] !== String(name)));
    }
    sort() { this.#update([...this.#pairs].sort((a, b) => (a[0] < b[0] ? -1 : Number(a[0] > b[0])))); }
    forEach(callback) { this.#pairs.forEach(([name, value]) => callback(value, name, this)); }
    * entries() { yield* this.#pairs.map((pair) => [...pair]); }
    * keys() { for (const pair of this.#pairs) yield pair[0]; }
    * values() { for (const pair of this.#pairs) yield pair[1]; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([name, value]) => `${escapeForm(name)}=${escapeForm(value)}`).join('&'); }
  }

  const clone = (value, seen) => {
    if (typeof value === 'function' || typeof value === 'symbol') {
      throw Object.assign(new Error(`${String(value)} could not be cloned.`), { name: 'DataCloneError' });
    }
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => {
      seen.set(value, copy);
      return copy;
    };
    if (value instanceof Date) return keep(new Date(Number(value)));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) return keep(value.slice ? value.slice() : new DataView(value.buffer.slice(0)));
    if (value instanceof Map) {
      const copy = keep(new Map());
      value.forEach((item, key) => copy.set(clone(key, seen), clone(item, seen)));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      value.forEach((item) => copy.add(clone(item, seen)));
      return copy;
    }
    if (value instanceof Error) return keep(Object.assign(new Error(value.message), { name: value.name, stack: value.stack }));
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) {
      Object.defineProperty(copy, key, { value: clone(value[key], seen), writable: true, enumerable: true, configurable: true });
    }
    return copy;
  };

  class AbortSignal {
    aborted = false;
    reason = undefined;
    onabort = null;
    #listeners = [];
    addEventListener(kind, listener) { if (kind === 'abort') this.#listeners.push(listener); }
    removeEventListener(kind, listener) { this.#listeners = this.#listeners.filter((one) => one !== listener); }
    throwIfAborted() { if (this.aborted) throw this.reason; }
    static abort(reason) {
      const controller = new AbortController();
      controller.abort(reason);
      return controller.signal;
    }
    static timeout(milliseconds) {
      const controller = new AbortController();
      const reason = Object.assign(new Error('The operation was aborted due to timeout'), { name: 'TimeoutError' });
      kit.setTimeout(() => controller.abort(reason), milliseconds);
      return controller.signal;
    }
    static fire(signal, reason) {
      if (signal.aborted) return;
      signal.aborted = true;
      signal.reason = reason ?? Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });
      for (const listener of [signal.onabort, ...signal.#listeners]) {
        if (typeof listener === 'function') kit.run(listener, { type: 'abort', target: signal });
      }
    }
  }
  const { fire } = AbortSignal;
  delete AbortSignal.fire;
  class AbortController {
    signal = new AbortSignal();
    abort(reason) { fire(this.signal, reason); }
  }

  class Headers {
    #map = new Map();
    constructor(init = {}) {
      const pairs = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
      for (const [name, value] of pairs) this.append(name, value);
    }
    get(name) { return this.#map.get(String(name).toLowerCase()) ?? null; }
    has(name) { return this.#map.has(String(name).toLowerCase()); }
    set(name, value) { this.#map.set(String(name).toLowerCase(), String(value)); }
    delete(name) { this.#map.delete(String(name).toLowerCase()); }
    append(name, value) { this.set(name, this.has(name) ? `${this.get(name)}, ${value}` : value); }
    forEach(callback) { this.#map.forEach((value, name) => callback(value, name, this)); }
    entries() { return this.#map.entries(); }
    keys() { return this.#map.keys(); }
    values() { return this.#map.values(); }
    [Symbol.iterator]() { return this.entries(); }
  }

  // What `fetch` resolves to; made from the host's answer only.
  class Response {
    #bytes;
    constructor(answer) {
      this.#bytes = fromBase64(answer.body);
      this.url = answer.url;
      this.status = answer.status;
      this.statusText = answer.statusText;
      this.ok = answer.status >= 200 && answer.status < 300;
      this.headers = new Headers(answer.headers);
      this.bodyUsed = false;
    }
    #take() {
      if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read');
      this.bodyUsed = true;
      return this.#bytes;
    }
    async text() { return decode(this.#take(), false); }
    async json() { return JSON.parse(decode(this.#take(), false)); }
    async arrayBuffer() { return new Uint8Array(this.#take()).buffer; }
    async bytes() { return new Uint8Array(this.#take()); }
  }

  const fetch = async (input, options = {}) => {
    const signal = options.signal ?? undefined;
    signal?.throwIfAborted();
    const headers = Object.fromEntries(new Headers(options.headers ?? {}));
    let { body } = options;
    if (body instanceof URLSearchParams) {
      headers['content-type'] ??= 'application/x-www-form-urlencoded;charset=UTF-8';
      body = body.toString();
    }
    const request = {
      url: String(input?.url ?? input), method: options.method, headers,
      body: body === undefined || body === null ? undefined : kit.base64(body),
      credentials: options.credentials, redirect: options.redirect,
    };
    const call = kit.call('fetch', { page: { page: native.page, action: { fetch: { request } } } });
    if (!signal) return new Response(await call);
    const aborted = new Promise((_, reject) => { signal.addEventListener('abort', () => reject(signal.reason)); });
    return new Response(await Promise.race([call, aborted]));
  };

  const crypto = {
    getRandomValues(array) {
      bytesOf(array).set(native.random(array.byteLength));
      return array;
    },
    randomUUID() {
      const bytes = Uint8Array.from(native.random(16));
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      return Buffer.from(bytes).toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };

  kit.define(globalThis, {
    TextEncoder, TextDecoder, Buffer, URL, URLSearchParams, AbortController, AbortSignal, Headers, Response, fetch, crypto,
    structuredClone: (value) => clone(value, new Map()),
    btoa: (text) => {
      const bytes = Array.from(String(text), (character) => character.codePointAt(0));
      if (bytes.some((byte) => byte > 255)) throw Object.assign(new Error('The string to be encoded contains characters outside of the Latin1 range.'), { name: 'InvalidCharacterError' });
      return toBase64(bytes);
    },
    atob: (text) => {
      const digits = String(text).replace(/[\t\n\f\r ]/g, '').replace(/={1,2}$/, '');
      if (digits.length % 4 === 1 || /[^A-Za-z\d+/]/.test(digits)) throw Object.assign(new Error('The string to be decoded is not correctly encoded.'), { name: 'InvalidCharacterError' });
      return latin(fromBase64(digits));
    },
  });
  // The engine's own, which upstream's scripts do not have.
  delete globalThis.performance;
})
