// Calls to the host, subscriptions, timers and errors: what the other parts build on.
//
// Scripts share the globals with us and may change them, so what is needed here later is taken now.
// A script that breaks its own globals harms itself only: the host checks every request anyway.
(function (native, kit) {
  'use strict';

  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const { toWellFormed, slice } = String.prototype;
  const { isArray } = Array;
  const { isFinite, isInteger } = Number;
  const ErrorOf = Error;
  const PromiseOf = Promise;
  const nothing = () => {};

  const wellFormed = (text) => apply(toWellFormed, text, []);

  class TimeoutError extends Error {
    constructor(message) {
      super(message);
      this.name = 'TimeoutError';
    }
  }
  kit.TimeoutError = TimeoutError;

  // An exception of the host's making, placed where the script made the call.
  const fault = (api, name, message, stack) => {
    const text = api ? `${api}: ${message}` : message;
    const error = name === 'TimeoutError' ? new TimeoutError(text) : new ErrorOf(text);
    if (name !== 'Error' && name !== 'TimeoutError') error.name = name;
    if (typeof stack === 'string') error.stack = stack;
    return error;
  };

  const notAvailable = (what, instead) =>
    new ErrorOf(`${what}: not available in PlayGuard${instead ? `: ${instead}` : ''}`);
  kit.notAvailable = notAvailable;

  // Puts methods on a prototype that only say that they are missing.
  kit.missing = (prototype, owner, names) => {
    for (const name of Object.keys(names)) {
      Object.defineProperty(prototype, name, {
        configurable: true,
        writable: true,
        value: () => {
          throw notAvailable(`${owner}.${name}`, names[name]);
        },
      });
    }
  };

  const calls = { __proto__: null };
  let lastCall = 0;

  // Asks the host, and promises its answer.
  kit.call = (api, operation) => {
    const { stack } = new ErrorOf();
    return new PromiseOf((resolve, reject) => {
      lastCall += 1;
      native.submit(lastCall, stringify(operation));
      calls[lastCall] = { api, resolve, reject, stack };
    });
  };

  // Asks the host and stands still until it answers.
  kit.ask = (api, operation) => {
    const answer = parse(native.ask(stringify(operation)));
    if (answer.name !== undefined) throw fault(api, answer.name, answer.message);
    return answer.value;
  };

  const deliver = (id, succeeded, json) => {
    const call = calls[id];
    delete calls[id];
    if (!call) return;
    const answer = parse(json);
    if (succeeded) call.resolve(answer);
    else call.reject(fault(call.api, answer[0], answer[1], call.stack));
  };

  // Runs a callback of the script. What it throws has nobody to catch it: it becomes a rejection
  // that is left alone, and the engine sees those.
  const run = (callback, ...args) => {
    try {
      return callback(...args);
    } catch (error) {
      PromiseOf.reject(error);
      return undefined;
    }
  };
  kit.run = run;

  const handlers = { __proto__: null };
  let lastSubscription = 0;

  kit.newSubscription = (handler) => {
    lastSubscription += 1;
    handlers[lastSubscription] = handler;
    return lastSubscription;
  };
  kit.dropSubscription = (id) => {
    delete handlers[id];
  };
  const event = (id, json) => {
    const handler = handlers[id];
    if (handler) run(handler, parse(json));
  };

  const timers = { __proto__: null };
  let lastTimer = 0;

  const startTimer = (callback, delay, args, repeat) => {
    if (typeof callback !== 'function') throw new TypeError('a timer needs a function');
    lastTimer += 1;
    native.setTimer(lastTimer, +delay || 0);
    timers[lastTimer] = { callback, delay: +delay || 0, args, repeat };
    return lastTimer;
  };
  const stopTimer = (id) => {
    const number = +id;
    if (!isInteger(number) || !timers[number]) return;
    delete timers[number];
    native.clearTimer(number);
  };
  const fire = (id) => {
    const timer = timers[id];
    if (!timer) return;
    // At least a millisecond, so that other timers and events get their turn.
    if (timer.repeat) native.setTimer(id, timer.delay < 1 ? 1 : timer.delay);
    else delete timers[id];
    run(timer.callback, ...timer.args);
  };
  kit.setTimeout = (callback, delay) => startTimer(callback, delay, [], false);
  kit.clearTimeout = stopTimer;

  kit.define = (target, values) => {
    for (const name of Object.keys(values)) {
      Object.defineProperty(target, name, {
        value: values[name],
        configurable: true,
        writable: true,
        enumerable: false,
      });
    }
  };
  kit.define(globalThis, {
    setTimeout: (callback, delay, ...args) => startTimer(callback, delay, args, false),
    setInterval: (callback, delay, ...args) => startTimer(callback, delay, args, true),
    setImmediate: (callback, ...args) => startTimer(callback, 0, args, false),
    clearTimeout: stopTimer,
    clearInterval: stopTimer,
    clearImmediate: stopTimer,
    queueMicrotask: (callback) => {
      if (typeof callback !== 'function') throw new TypeError('queueMicrotask needs a function');
      apply(then, PromiseOf.resolve(), [() => run(callback)]);
    },
  });

  // A value as `console` shows it.
  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'function') return `[Function: ${value.name || '(anonymous)'}]`;
    if (typeof value !== 'object' || value === null) return String(value);
    if (value instanceof ErrorOf) return `${value.name}: ${value.message}`;
    try {
      return stringify(value) ?? String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  };
  const print = (level) => (...args) => {
    let text = '';
    for (let i = 0; i < args.length; i += 1) text += (i ? ' ' : '') + shown(args[i]);
    // More would be left out anyway.
    native.log(level, wellFormed(apply(slice, text, [0, 200000])));
  };
  kit.define(globalThis, {
    console: {
      log: print('log'), info: print('info'), debug: print('debug'), trace: print('debug'),
      warn: print('warn'), error: print('error'), dir: print('log'), table: print('log'),
      assert: (condition, ...args) => condition || print('error')('Assertion failed', ...args),
      group: print('log'), groupEnd: nothing, time: nothing, timeEnd: nothing, clear: nothing,
    },
  });

  // A value as an expression for the page. JSON where it is JSON.
  const expression = (value, path = []) => {
    switch (typeof value) {
      case 'undefined': case 'symbol': return 'undefined';
      case 'boolean': return String(value);
      case 'string': return stringify(wellFormed(value));
      case 'bigint': return `${value}n`;
      case 'number':
        if (value === 0 && 1 / value < 0) return '-0';
        return isFinite(value) || value !== value ? String(value) : `${value < 0 ? '-' : ''}Infinity`;
      case 'function':
        throw new TypeError(`functions cannot be passed to the page: ${value.name || 'anonymous'}`);
      default:
    }
    if (value === null) return 'null';
    if (kit.isLocator(value)) {
      throw notAvailable('elements inside arguments', 'use locator.evaluate((element, argument) => …)');
    }
    for (let i = 0; i < path.length; i += 1) {
      if (path[i] === value) throw new TypeError('an argument contains itself');
    }
    const inner = [...path, value];
    const list = (items) => {
      let text = '';
      for (let i = 0; i < items.length; i += 1) text += (i ? ',' : '') + expression(items[i], inner);
      return `[${text}]`;
    };
    if (isArray(value)) return list(value);
    if (value instanceof Date) return `new Date(${Number(value)})`;
    if (value instanceof RegExp) return `new RegExp(${stringify(value.source)},${stringify(value.flags)})`;
    if (value instanceof Map) return `new Map(${list([...value])})`;
    if (value instanceof Set) return `new Set(${list([...value])})`;
    if (value instanceof URL) return `new URL(${stringify(value.href)})`;
    if (value instanceof ErrorOf) return `new Error(${stringify(String(value.message))})`;
    if (value instanceof Uint8Array) return `new Uint8Array(${list([...value])})`;
    let text = '';
    for (const key of Object.keys(value)) {
      const name = key === '__proto__' ? '["__proto__"]' : stringify(wellFormed(key));
      text += `${text ? ',' : ''}${name}:${expression(value[key], inner)}`;
    }
    return `{${text}}`;
  };
  kit.expression = expression;

  kit.functionOf = (code, args) => {
    const isFunction = typeof code === 'function';
    if (!isFunction && typeof code !== 'string') throw new TypeError('a function or a text is needed');
    return { source: wellFormed(String(code)), isFunction, arguments: args.map((one) => expression(one)) };
  };

  const quiet = (promise) => {
    apply(then, promise, [nothing, nothing]);
    return promise;
  };

  kit.hooks = {
    deliver,
    event,
    fire,
    runCode: (thunk, strict) => quiet((async () => {
      let code = thunk();
      if (!strict && typeof code !== 'function') code = await code;
      if (typeof code === 'function') return await code(kit.startPage);
      if (strict) throw new TypeError('__fn__ is not a function');
      return code;
    })()),
    runModule: (evaluated, namespace) => quiet((async () => {
      await evaluated;
      await initialise(namespace.default);
    })()),
    runCommon: (body) => quiet((async () => {
      const module = { exports: {} };
      body(module.exports, module);
      const exported = module.exports;
      await initialise(typeof exported === 'function' ? exported : exported?.default);
    })()),
    callMethod: (name, json) => quiet((async () => kit.startPage[name](...parse(json)))()),
    isPatched: (name) => quiet((async () => kit.startPage[name] !== kit.originals[name])()),
  };
  const initialise = (initialiser) => {
    if (typeof initialiser !== 'function') {
      throw new TypeError('an init page must export a function: export default async ({ page }) => { … }');
    }
    return initialiser({ page: kit.startPage });
  };
})
