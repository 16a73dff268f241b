// The script's own page, and what it looked like before any script could change it.
(function (native, kit) {
  'use strict';

  kit.startPage = kit.pageById(native.page);
  kit.define(globalThis, { page: kit.startPage });

  kit.originals = { __proto__: null };
  for (let level = kit.Page.prototype; level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const name of Object.getOwnPropertyNames(level)) kit.originals[name] ??= kit.startPage[name];
  }
})
