// What events carry: requests, responses, routes, dialogs, downloads. And the listening itself.
(function (native, kit) {
  'use strict';

  // A glob for addresses as a regular expression: `*` within a path segment, `**` across them,
  // `{a,b}` alternatives, `\` escapes; all else is literal.
  const globToRegex = (glob) => {
    let source = '';
    let grouped = false;
    const literal = (character) => ('^$+.*()|[]{}?/\\'.includes(character) ? `\\${character}` : character);
    for (let i = 0; i < glob.length; i += 1) {
      const character = glob[i];
      if (character === '\\' && i + 1 < glob.length) {
        i += 1;
        source += literal(glob[i]);
      } else if (character === '*') {
        const before = glob[i - 1];
        let stars = 1;
        while (glob[i + 1] === '*') {
          stars += 1;
          i += 1;
        }
        if (stars === 1) source += '[^/]*';
        else if (before === '/' && glob[i + 1] === '/') {
          source += '((.+\\/)|)';
          i += 1;
        } else source += '.*';
      } else if (character === '{' && !grouped && glob.indexOf('}', i) > 0) {
        grouped = true;
        source += '(';
      } else if (character === '}' && grouped) {
        grouped = false;
        source += ')';
      } else if (character === ',' && grouped) source += '|';
      else source += literal(character);
    }
    return new RegExp(`^${source}$`);
  };

  // How the script says which addresses it means: for the host, and as a test here.
  const urlPattern = (url, what) => {
    if (typeof url === 'function') return { pattern: 'any', test: (text) => Boolean(url(new URL(text))) };
    let regex = url;
    if (typeof url === 'string') {
      const plain = !/[*{}\\]/.test(url) && URL.canParse(url) ? new URL(url).href : url;
      regex = globToRegex(plain);
    }
    if (!(regex instanceof RegExp)) throw new TypeError(`${what}: a text, a regular expression or a function is needed`);
    return {
      pattern: { regex: { source: regex.source, flags: regex.flags } },
      test: (text) => {
        regex.lastIndex = 0;
        return regex.test(text);
      },
    };
  };
  kit.urlPattern = urlPattern;

  const lower = (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

  class Request {
    #facts;
    constructor(facts) { this.#facts = facts; }
    #ask(name, action) { return kit.call(`request.${name}`, { request: { request: this.#facts.request, action } }); }
    url() { return this.#facts.url; }
    method() { return this.#facts.method; }
    resourceType() { return this.#facts.resourceType; }
    headers() { return { ...this.#facts.headers }; }
    async allHeaders() { return lower(await this.#ask('allHeaders', 'allHeaders')); }
    async headerValue(name) { return (await this.allHeaders())[String(name).toLowerCase()] ?? null; }
    postData() { return this.#facts.postData ?? null; }
    postDataBuffer() { return this.postData() === null ? null : Buffer.from(this.postData()); }
    postDataJSON() {
      const data = this.postData();
      if (data === null) return null;
      if (/x-www-form-urlencoded/.test(this.#facts.headers['content-type'])) return Object.fromEntries(new URLSearchParams(data));
      return JSON.parse(data);
    }
    isNavigationRequest() { return this.#facts.isNavigation; }
    failure() { return this.#facts.failure ? { errorText: this.#facts.failure } : null; }
    async response() { return response(await this.#ask('response', 'response')); }
  }
  kit.missing(Request.prototype, 'request', {
    frame: '', timing: '', sizes: '', redirectedFrom: '', redirectedTo: '', serviceWorker: '',
  });

  class Response {
    #facts;
    #request;
    constructor(facts) {
      this.#facts = facts;
      this.#request = new Request(facts.request);
    }
    static { kit.responseHandle = (one) => one.#facts.response; }
    #ask(name, action) { return kit.call(`response.${name}`, { response: { response: this.#facts.response, action } }); }
    url() { return this.#facts.url; }
    status() { return this.#facts.status; }
    statusText() { return this.#facts.statusText; }
    ok() { return this.#facts.status === 0 || (this.#facts.status >= 200 && this.#facts.status < 300); }
    headers() { return { ...this.#facts.headers }; }
    async allHeaders() { return lower(await this.#ask('allHeaders', 'allHeaders')); }
    async headerValue(name) { return (await this.allHeaders())[String(name).toLowerCase()] ?? null; }
    request() { return this.#request; }
    async body() { return kit.buffer(await this.#ask('body', 'body')); }
    async text() { return (await this.body()).toString('utf8'); }
    async json() { return JSON.parse(await this.text()); }
    async finished() {
      const reason = await this.#ask('finished', 'finished');
      return reason ? new Error(reason) : null;
    }
  }
  kit.missing(Response.prototype, 'response', { frame: '', serverAddr: '', securityDetails: '', fromServiceWorker: '' });
  const response = (facts) => (facts ? new Response(facts) : null);
  kit.response = response;

  class Route {
    #handle;
    #request;
    constructor(value) {
      this.#handle = value.route;
      this.#request = new Request(value.request);
    }
    #answer(name, action) { return kit.call(`route.${name}`, { routeAnswer: { route: this.#handle, action } }); }
    request() { return this.#request; }
    async fulfill(options = {}) {
      const { status, headers, contentType, path } = options;
      let { body } = options;
      let type = contentType;
      if (options.json !== undefined) {
        body = JSON.stringify(options.json);
        type ??= 'application/json';
      }
      await this.#answer('fulfill', {
        fulfill: {
          status, headers: headers ?? {}, contentType: type, path,
          body: body === undefined ? undefined : kit.base64(body),
          response: options.response ? kit.responseHandle(options.response) : undefined,
        },
      });
    }
    #changes({ url, method, headers, postData } = {}) {
      let data = postData;
      if (data !== undefined && typeof data !== 'string' && !ArrayBuffer.isView(data)) data = JSON.stringify(data);
      return { url, method, headers, postData: data === undefined ? undefined : kit.base64(data) };
    }
    async continue(options) { await this.#answer('continue', { continue: this.#changes(options) }); }
    async fallback(options) { await this.#answer('fallback', { fallback: this.#changes(options) }); }
    async abort(errorCode = 'failed') { await this.#answer('abort', { abort: { errorCode } }); }
    async fetch(options) { return response(await this.#answer('fetch', { fetch: this.#changes(options) })); }
  }

  // Objects whose methods only read or ask.
  const dialog = (value, page) => ({
    type: () => value.type,
    message: () => value.message,
    defaultValue: () => value.defaultValue ?? '',
    page: () => page,
    accept: (promptText) => kit.call('dialog.accept', { dialog: { dialog: value.dialog, accept: true, promptText } }),
    dismiss: () => kit.call('dialog.dismiss', { dialog: { dialog: value.dialog, accept: false } }),
  });
  const download = (value, page) => {
    const ask = (name, action) => kit.call(`download.${name}`, { download: { download: value.download, action } });
    return {
      url: () => value.url,
      suggestedFilename: () => value.suggestedFilename,
      page: () => page,
      path: () => ask('path', 'path'),
      saveAs: (path) => ask('saveAs', { saveAs: { path: String(path) } }),
      cancel: () => ask('cancel', 'cancel'),
      delete: () => ask('delete', 'delete'),
      failure: () => ask('failure', 'failure'),
    };
  };
  const chooser = (value, page) => ({
    isMultiple: () => value.multiple,
    page: () => page,
    setFiles: (files) => kit.call('fileChooser.setFiles', { fileChooser: { chooser: value.chooser, files: kit.files(files) } }),
  });
  const consoleMessage = (value, page) => ({
    type: () => value.type,
    text: () => value.text,
    location: () => value.location,
    page: () => page,
    args: () => [],
  });
  const pageError = (value) => Object.assign(new Error(value.message), { name: value.name, stack: value.stack });
  const request = (value) => new Request(value);

  const revivers = {
    request, requestfinished: request, requestfailed: request, response,
    console: consoleMessage, pageerror: pageError, dialog, download, filechooser: chooser,
    popup: (value) => kit.pageById(value.id),
    page: (value) => kit.pageById(value.id),
    framenavigated: (value, page) => ({ url: () => value.url, page: () => page, parentFrame: () => (value.main ? null : undefined), isMain: value.main }),
    load: (value, page) => page, domcontentloaded: (value, page) => page, close: (value, page) => page, crash: (value, page) => page,
  };

  // Listening, for pages and contexts. One subscription serves all listeners of a kind.
  class Emitter {
    #page;
    #api;
    #kinds = new Map();
    #routes = [];
    constructor(page, api) {
      this.#page = page;
      this.#api = api;
    }
    #target() { return this.#page === null ? this : kit.pageById(this.#page); }
    on(kind, listener) {
      if (typeof listener !== 'function') throw new TypeError(`${this.#api}.on: a function is needed`);
      if (!Object.hasOwn(revivers, kind)) throw kit.notAvailable(`${this.#api}.on('${String(kind)}')`, `events are ${Object.keys(revivers).join(', ')}`);
      let entry = this.#kinds.get(kind);
      if (!entry) {
        entry = { listeners: [] };
        const current = entry;
        entry.id = kit.newSubscription((value) => {
          const object = revivers[kind](value, this.#target());
          for (const one of [...current.listeners]) kit.run(one, object);
        });
        kit.ask(`${this.#api}.on`, { subscribe: { id: entry.id, page: this.#page, event: kind } });
        this.#kinds.set(kind, entry);
      }
      entry.listeners.push(listener);
      return this;
    }
    off(kind, listener) {
      const entry = this.#kinds.get(kind);
      const at = entry ? entry.listeners.findIndex((one) => one === listener || one.listener === listener) : -1;
      if (at < 0) return this;
      entry.listeners.splice(at, 1);
      if (!entry.listeners.length) this.removeAllListeners(kind);
      return this;
    }
    once(kind, listener) {
      const wrapped = (value) => {
        this.off(kind, wrapped);
        return listener(value);
      };
      wrapped.listener = listener;
      return this.on(kind, wrapped);
    }
    removeAllListeners(kind) {
      for (const [name, entry] of [...this.#kinds]) {
        if (kind !== undefined && kind !== name) continue;
        this.#kinds.delete(name);
        kit.dropSubscription(entry.id);
        kit.ask(`${this.#api}.off`, { unsubscribe: { id: entry.id } });
      }
      return this;
    }
    addListener(kind, listener) { return this.on(kind, listener); }
    removeListener(kind, listener) { return this.off(kind, listener); }
    waitForEvent(kind, options = {}) { return this.waitFor(`${this.#api}.waitForEvent`, kind, options); }
    waitFor(api, kind, options) {
      const predicate = typeof options === 'function' ? options : options.predicate ?? (() => true);
      const timeout = options.timeout ?? kit.defaultTimeout(this.#page) ?? 30000;
      const { stack } = new Error();
      return new Promise((resolve, reject) => {
        let timer;
        const end = (settle, value) => {
          this.off(kind, listener);
          if (timer) kit.clearTimeout(timer);
          settle(value);
        };
        const listener = async (value) => {
          try {
            if (await predicate(value)) end(resolve, value);
          } catch (error) {
            end(reject, error);
          }
        };
        this.on(kind, listener);
        // It may have happened before anyone listened.
        if (options.already?.()) end(resolve, undefined);
        else if (timeout > 0) {
          timer = kit.setTimeout(() => {
            const error = new kit.TimeoutError(`${api}: Timeout ${timeout}ms exceeded while waiting for event "${kind}"`);
            error.stack = stack;
            end(reject, error);
          }, timeout);
        }
      });
    }
    async route(url, handler, options = {}) {
      if (typeof handler !== 'function') throw new TypeError(`${this.#api}.route: a function is needed`);
      const { pattern, test } = urlPattern(url, `${this.#api}.route`);
      const entry = { url, handler, left: options.times ?? Infinity };
      entry.id = kit.newSubscription((value) => {
        const held = new Route(value);
        if (entry.left <= 0 || !test(held.request().url())) return held.fallback();
        entry.left -= 1;
        if (entry.left <= 0) this.#unroute([entry]);
        return handler(held, held.request());
      });
      this.#routes.push(entry);
      await kit.call(`${this.#api}.route`, { route: { id: entry.id, page: this.#page, pattern } });
    }
    async #unroute(entries) {
      this.#routes = this.#routes.filter((one) => !entries.includes(one));
      await Promise.all(entries.map((one) => {
        // A request that is on its way still finds its handler.
        return kit.call(`${this.#api}.unroute`, { unroute: { id: one.id } });
      }));
    }
    async unroute(url, handler) {
      const same = (one) => one.url === url || (one.url instanceof RegExp && url instanceof RegExp && String(one.url) === String(url));
      await this.#unroute(this.#routes.filter((one) => same(one) && (!handler || one.handler === handler)));
    }
    async unrouteAll() { await this.#unroute(this.#routes); }
  }
  kit.Emitter = Emitter;
})
