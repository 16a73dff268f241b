// Array methods on something that only says to be long.
//
// The engine looks at the clock between steps of a script, not inside its built-in functions, and
// `Array.prototype.indexOf.call({ length: 2 ** 53 })` is one step that takes years.
(function (native, kit) {
  'use strict';

  const MAX = 10_000_000;
  const { apply } = Reflect;
  const BRIEF = ['constructor', 'at', 'push', 'pop', 'keys', 'values', 'entries', 'toString', 'toLocaleString'];

  for (const name of Object.getOwnPropertyNames(Array.prototype)) {
    const original = Array.prototype[name];
    if (typeof original !== 'function' || BRIEF.includes(name)) continue;
    const { [name]: bounded } = {
      [name](...args) {
        if (this.length > MAX) throw new RangeError(`PlayGuard: limit of ${MAX} elements for ${name} reached`);
        return apply(original, this, args);
      },
    };
    Object.defineProperty(bounded, 'length', { value: original.length, configurable: true });
    Object.defineProperty(Array.prototype, name, { value: bounded, configurable: true, writable: true });
  }
})
