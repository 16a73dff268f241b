// `page`, its keyboard and mouse, and the context.
(function (native, kit) {
  'use strict';

  const { Emitter, find } = kit;

  const timeouts = { context: {}, pages: new Map() };
  kit.defaultTimeout = (page) => timeouts.pages.get(page)?.all ?? timeouts.context.all;
  const navigationTimeout = (page) => timeouts.pages.get(page)?.navigation ?? timeouts.context.navigation ?? kit.defaultTimeout(page);
  const setTimeouts = (page, change) => {
    if (page === null) Object.assign(timeouts.context, change);
    else timeouts.pages.set(page, { ...timeouts.pages.get(page), ...change });
  };

  const facts = () => kit.ask('page', 'pages');
  const pages = new Map();
  kit.pageById = (id) => {
    if (!pages.has(id)) pages.set(id, new Page(id));
    return pages.get(id);
  };

  class Keyboard {
    #page;
    constructor(page) { this.#page = page; }
    #do(name, action) { return kit.call(`keyboard.${name}`, { keyboard: { page: this.#page, action } }); }
    async press(key, { delay } = {}) { await this.#do('press', { press: { key, delay } }); }
    async type(text, { delay } = {}) { await this.#do('type', { type: { text, delay } }); }
    async insertText(text) { await this.#do('insertText', { insertText: { text } }); }
    async down(key) { await this.#do('down', { down: { key } }); }
    async up(key) { await this.#do('up', { up: { key } }); }
  }

  class Mouse {
    #page;
    constructor(page) { this.#page = page; }
    #do(name, action) { return kit.call(`mouse.${name}`, { mouse: { page: this.#page, action } }); }
    async move(x, y, { steps } = {}) { await this.#do('move', { move: { x, y, steps } }); }
    async click(x, y, { button, clickCount, delay } = {}) { await this.#do('click', { click: { x, y, button, clickCount, delay } }); }
    async dblclick(x, y, { button, delay } = {}) { await this.#do('dblclick', { click: { x, y, button, clickCount: 2, delay } }); }
    async down({ button, clickCount } = {}) { await this.#do('down', { down: { button, clickCount } }); }
    async up({ button, clickCount } = {}) { await this.#do('up', { up: { button, clickCount } }); }
    async wheel(deltaX, deltaY) { await this.#do('wheel', { wheel: { deltaX, deltaY } }); }
  }

  const initScript = (script, argument) => {
    if (typeof script === 'function') return `(${script})(${kit.expression(argument)})`.toWellFormed();
    if (typeof script === 'string') return script.toWellFormed();
    if (typeof script?.content === 'string') return script.content.toWellFormed();
    throw kit.notAvailable('addInitScript({ path })', 'give the source itself, as content');
  };

  class Page extends Emitter {
    #id;
    constructor(id) {
      super(id, 'page');
      this.#id = id;
      kit.define(this, { keyboard: new Keyboard(id), mouse: new Mouse(id) });
    }
    static { kit.idOf = (page) => page.#id; }
    #do(name, action) { return kit.call(`page.${name}`, { page: { page: this.#id, action } }); }
    #facts() { return facts().find((one) => one.id === this.#id); }

    [find](selector) { return kit.locate(this.#id, selector); }
    locator(selector, options) { return kit.locate(this.#id, selector, options); }
    async $(selector) { return kit.query(this.#id, selector); }
    async $$(selector) { return kit.queryAll(this.#id, selector); }
    async $eval(selector, code, argument) {
      const action = { evaluate: { function: kit.functionOf(code, [argument]) } };
      return (await kit.perform(this.#id, 'page.$eval', `${selector} >> nth=0`, action)).value;
    }
    async $$eval(selector, code, argument) {
      const action = { evaluateAll: { function: kit.functionOf(code, [argument]) } };
      return (await kit.perform(this.#id, 'page.$$eval', selector, action)).value;
    }

    url() { return this.#facts()?.url ?? ''; }
    isClosed() { return this.#facts() === undefined; }
    viewportSize() { return this.#facts()?.viewport ?? null; }
    context() { return kit.context; }
    mainFrame() { return this; }

    async #go(name, fields, { waitUntil, timeout } = {}) {
      const action = { [name]: { ...fields, waitUntil, timeout: timeout ?? navigationTimeout(this.#id) } };
      return kit.response(await this.#do(name, action));
    }
    async goto(url, options = {}) { return this.#go('goto', { url, referer: options.referer }, options); }
    async reload(options) { return this.#go('reload', {}, options); }
    async goBack(options) { return this.#go('goBack', {}, options); }
    async goForward(options) { return this.#go('goForward', {}, options); }
    async title() { return this.#do('title', 'title'); }
    async content() { return this.#do('content', 'content'); }
    async setContent(html, options) { await this.#go('setContent', { html }, options); }
    async evaluate(code, argument) {
      if (kit.isLocator(argument)) return kit.locatorAct(argument, 'page.evaluate', { evaluate: { function: kit.functionOf(code, []) } }).then((answer) => answer.value);
      return (await this.#do('evaluate', { evaluate: { function: kit.functionOf(code, [argument]) } })).value;
    }
    async bringToFront() { await this.#do('bringToFront', 'bringToFront'); }
    async close() { await this.#do('close', 'close'); }
    async setViewportSize({ width, height }) { await this.#do('setViewportSize', { setViewportSize: { size: { width, height } } }); }
    async emulateMedia(media = {}) { await this.#do('emulateMedia', { emulateMedia: { media } }); }
    async setExtraHTTPHeaders(headers) { await this.#do('setExtraHTTPHeaders', { setExtraHttpHeaders: { headers } }); }
    async addInitScript(script, argument) { await this.#do('addInitScript', { addInitScript: { source: initScript(script, argument) } }); }
    async addScriptTag({ url, content } = {}) { await this.#do('addScriptTag', { addTag: { style: false, url, content } }); }
    async addStyleTag({ url, content } = {}) { await this.#do('addStyleTag', { addTag: { style: true, url, content } }); }
    async screenshot(options) { return kit.buffer(await this.#do('screenshot', { screenshot: { options: kit.picture(options) } })); }
    async pdf(options = {}) { return kit.buffer(await this.#do('pdf', { pdf: { options } })); }
    async ariaSnapshot(options = {}) { return this.#do('ariaSnapshot', { ariaSnapshot: { options } }); }

    async waitForTimeout(duration) { await this.#do('waitForTimeout', { waitForTimeout: { duration } }); }
    async waitForLoadState(state = 'load', { timeout } = {}) {
      await this.#do('waitForLoadState', { waitForLoadState: { state, timeout: timeout ?? navigationTimeout(this.#id) } });
    }
    async waitForFunction(code, argument, { polling, timeout } = {}) {
      const action = {
        waitForFunction: {
          function: kit.functionOf(code, [argument]),
          polling: typeof polling === 'number' ? polling : undefined,
          timeout: timeout ?? kit.defaultTimeout(this.#id),
        },
      };
      const { value } = await this.#do('waitForFunction', action);
      return { jsonValue: async () => value, dispose: async () => {} };
    }
    async waitForURL(url, options = {}) {
      const { test } = kit.urlPattern(url, 'page.waitForURL');
      if (!test(this.url())) {
        await this.waitFor('page.waitForURL', 'framenavigated', {
          timeout: options.timeout ?? navigationTimeout(this.#id),
          predicate: (frame) => frame.isMain && test(frame.url()),
          already: () => test(this.url()),
        });
      }
      if (options.waitUntil !== 'commit') await this.waitForLoadState(options.waitUntil, options);
    }
    async waitForNavigation(options = {}) {
      const { test } = options.url === undefined ? { test: () => true } : kit.urlPattern(options.url, 'page.waitForNavigation');
      const timeout = options.timeout ?? navigationTimeout(this.#id);
      await this.waitFor('page.waitForNavigation', 'framenavigated', { timeout, predicate: (frame) => frame.isMain && test(frame.url()) });
      if (options.waitUntil !== 'commit') await this.waitForLoadState(options.waitUntil, options);
      return null;
    }
    async waitForSelector(selector, options = {}) {
      const state = options.state ?? 'visible';
      await kit.perform(this.#id, 'page.waitForSelector', `${selector} >> nth=0`, { waitFor: { state } }, options);
      return ['hidden', 'detached'].includes(state) ? null : new kit.ElementHandle(this.#id, `${selector} >> nth=0`);
    }
    #waitForTraffic(kind, api, what, options) {
      const matches = typeof what === 'function' ? what : (one) => kit.urlPattern(what, api).test(one.url());
      if (typeof what !== 'function') kit.urlPattern(what, api);
      return this.waitFor(api, kind, { ...options, predicate: matches });
    }
    waitForRequest(what, options) { return this.#waitForTraffic('request', 'page.waitForRequest', what, options); }
    waitForResponse(what, options) { return this.#waitForTraffic('response', 'page.waitForResponse', what, options); }
    waitForPopup(options = {}) { return this.waitFor('page.waitForPopup', 'popup', options); }

    async dragAndDrop(source, target, options = {}) {
      await kit.perform(this.#id, 'page.dragAndDrop', source, { dragTo: { target } }, { strict: false, ...options });
    }
    setDefaultTimeout(all) { setTimeouts(this.#id, { all }); }
    setDefaultNavigationTimeout(navigation) { setTimeouts(this.#id, { navigation }); }
    toString() { return 'Page'; }
    toJSON() { return { url: this.url() }; }
  }
  kit.searchable(Page.prototype);
  // page.click(selector) and so on: the first match is meant.
  for (const name of Object.keys(kit.pageActions)) {
    kit.define(Page.prototype, {
      async [name](selector, ...args) {
        if (typeof selector !== 'string') throw new TypeError(`page.${name}: a selector text is needed`);
        const [action, options] = kit.pageActions[name](...args);
        return kit.perform(kit.idOf(this), `page.${name}`, selector.toWellFormed(), action, { strict: false, ...options });
      },
    });
  }
  const FRAMES = 'use page.frameLocator(…)';
  kit.missing(Page.prototype, 'page', {
    frames: FRAMES, frame: FRAMES, evaluateHandle: 'use evaluate, and let it return data', exposeFunction: '', exposeBinding: '',
    workers: '', video: '', pause: '', addLocatorHandler: '', removeLocatorHandler: '', routeFromHAR: '', routeWebSocket: '',
    opener: '', requestGC: '', consoleMessages: 'use the tool browser_console_messages', requests: 'use the tool browser_network_requests',
  });

  class Context extends Emitter {
    constructor() { super(null, 'browserContext'); }
    #do(name, action) { return kit.call(`browserContext.${name}`, { context: { action } }); }
    pages() { return facts().map((one) => kit.pageById(one.id)); }
    async newPage() { return kit.pageById((await this.#do('newPage', 'newPage')).id); }
    async cookies(urls = []) { return this.#do('cookies', { cookies: { urls: Array.isArray(urls) ? urls : [urls] } }); }
    async addCookies(cookies) { await this.#do('addCookies', { addCookies: { cookies } }); }
    async clearCookies(options = {}) {
      const pattern = (value) => {
        if (value === undefined) return undefined;
        return value instanceof RegExp ? { regex: { source: value.source, flags: value.flags } } : { text: String(value) };
      };
      const { name, domain, path } = options;
      await this.#do('clearCookies', { clearCookies: { name: pattern(name), domain: pattern(domain), path: pattern(path) } });
    }
    async grantPermissions(permissions, { origin } = {}) { await this.#do('grantPermissions', { grantPermissions: { permissions, origin } }); }
    async clearPermissions() { await this.#do('clearPermissions', 'clearPermissions'); }
    async setGeolocation(geolocation) { await this.#do('setGeolocation', { setGeolocation: { geolocation } }); }
    async setOffline(offline) { await this.#do('setOffline', { setOffline: { offline } }); }
    async setExtraHTTPHeaders(headers) { await this.#do('setExtraHTTPHeaders', { setExtraHttpHeaders: { headers } }); }
    async storageState() { return this.#do('storageState', 'storageState'); }
    async addInitScript(script, argument) { await this.#do('addInitScript', { addInitScript: { source: initScript(script, argument) } }); }
    setDefaultTimeout(all) { setTimeouts(null, { all }); }
    setDefaultNavigationTimeout(navigation) { setTimeouts(null, { navigation }); }
    toJSON() { return {}; }
  }
  kit.missing(Context.prototype, 'browserContext', {
    close: 'use the tool browser_close', browser: '', newCDPSession: '', exposeFunction: '', exposeBinding: '', routeFromHAR: '',
    routeWebSocket: '', backgroundPages: '', serviceWorkers: '', setHTTPCredentials: '',
  });
  kit.context = new Context();
  kit.Page = Page;
})
