// Locators: chains of calls composed into one selector text.
(function (native, kit) {
  'use strict';

  const { stringify } = JSON;
  const ENTER_FRAME = ' >> internal:control=enter-frame';

  // A regular expression survives in a selector when its quotes and `>>` are escaped.
  const regexText = (regex) => {
    let source = '';
    for (let i = 0; i < regex.source.length; i += 1) {
      const character = regex.source[i];
      if (character === '\\') {
        source += character + (regex.source[i + 1] ?? '');
        i += 1;
      } else source += '"\'`'.includes(character) ? `\\${character}` : character;
    }
    return `/${source.replace(/>>/g, '\\>\\>')}/${regex.flags}`;
  };
  const isRegex = (value) => value instanceof RegExp;
  const check = (value, what) => {
    if (typeof value !== 'string' && !isRegex(value)) {
      throw new TypeError(`${what}: a text or a regular expression is needed, not ${value === null ? 'null' : typeof value}`);
    }
    return isRegex(value) ? value : value.toWellFormed();
  };
  const inText = (value, exact, what) => {
    const pattern = check(value, what);
    return isRegex(pattern) ? regexText(pattern) : stringify(pattern) + (exact ? 's' : 'i');
  };
  const inAttribute = (value, exact, what) => {
    const pattern = check(value, what);
    if (isRegex(pattern)) return regexText(pattern);
    return `"${pattern.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"${exact ? 's' : 'i'}`;
  };

  const filters = (options = {}) => {
    let text = '';
    const nested = (name, key) => {
      if (options[key] === undefined) return;
      if (!kit.isLocator(options[key])) throw new TypeError(`${key}: a locator is needed`);
      text += ` >> internal:${name}=${stringify(kit.selectorOf(options[key]))}`;
    };
    if (options.hasText !== undefined) text += ` >> internal:has-text=${inText(options.hasText, false, 'hasText')}`;
    if (options.hasNotText !== undefined) text += ` >> internal:has-not-text=${inText(options.hasNotText, false, 'hasNotText')}`;
    nested('has', 'has');
    nested('has-not', 'hasNot');
    if (options.visible !== undefined) text += ` >> visible=${Boolean(options.visible)}`;
    return text;
  };

  const roleSelector = (role, options = {}) => {
    let text = `internal:role=${String(role)}`;
    const state = (name, key) => {
      if (options[key] !== undefined) text += `[${name}=${String(options[key])}]`;
    };
    if (options.name !== undefined) text += `[name=${inAttribute(options.name, options.exact, 'name')}]`;
    if (options.description !== undefined) text += `[description=${inAttribute(options.description, options.exact, 'description')}]`;
    for (const key of ['checked', 'disabled', 'selected', 'expanded', 'level', 'pressed']) state(key, key);
    state('include-hidden', 'includeHidden');
    return text;
  };

  const selectorText = (selector, what) => {
    if (typeof selector !== 'string') throw new TypeError(`${what}: a selector text is needed`);
    return selector.toWellFormed();
  };

  // Mixed into whatever elements can be looked for in. `find` makes a locator below it.
  const find = Symbol('find');
  const attribute = (name) => (value, options = {}) => `internal:attr=[${name}=${inAttribute(value, options.exact, name)}]`;
  const engines = {
    getByRole: roleSelector,
    getByText: (value, options = {}) => `internal:text=${inText(value, options.exact, 'getByText')}`,
    getByLabel: (value, options = {}) => `internal:label=${inText(value, options.exact, 'getByLabel')}`,
    getByTestId: (value) => `internal:testid=[data-testid=${inAttribute(value, true, 'getByTestId')}]`,
    getByAltText: attribute('alt'),
    getByPlaceholder: attribute('placeholder'),
    getByTitle: attribute('title'),
  };
  const searchable = (prototype) => {
    for (const name of Object.keys(engines)) {
      kit.define(prototype, {
        [name](value, options) { return this[find](engines[name](value, options)); },
      });
    }
    kit.define(prototype, {
      frameLocator(selector) { return this[find](selectorText(selector, 'frameLocator')).contentFrame(); },
    });
  };
  kit.find = find;
  kit.searchable = searchable;

  const files = (value) => (Array.isArray(value) ? value : [value]).map((file) => (
    typeof file === 'object' && file !== null
      ? { name: file.name, mimeType: file.mimeType, base64: kit.base64(file.buffer) }
      : String(file)
  ));
  kit.files = files;

  const choice = (value) => {
    if (typeof value === 'string') return { valueOrLabel: value };
    if (kit.isLocator(value)) throw kit.notAvailable('selectOption with an element', 'give its value, label or index');
    return { value: value.value, label: value.label, index: value.index };
  };

  // Each action as [what the host is asked, options].
  const actions = {
    fill: (text, options) => [{ fill: { text } }, options],
    type: (text, options) => [{ pressSequentially: { text } }, options],
    pressSequentially: (text, options) => [{ pressSequentially: { text } }, options],
    press: (key, options) => [{ press: { key } }, options],
    getAttribute: (name, options) => [{ getAttribute: { name } }, options],
    setChecked: (checked, options) => [checked ? 'check' : 'uncheck', options],
    setInputFiles: (value, options) => [{ setInputFiles: { files: files(value) } }, options],
    selectOption: (values, options) => [
      { selectOption: { values: values === null ? [] : (Array.isArray(values) ? values : [values]).map(choice) } }, options,
    ],
    dispatchEvent: (kind, init, options) => [
      { dispatchEvent: { kind, init: init === undefined ? undefined : kit.expression(init) } }, options,
    ],
  };
  for (const name of [
    'click', 'dblclick', 'hover', 'tap', 'check', 'uncheck', 'focus', 'textContent', 'innerText', 'innerHTML', 'inputValue',
    'isVisible', 'isHidden', 'isEnabled', 'isDisabled', 'isChecked', 'isEditable',
  ]) actions[name] = (options) => [name, options];
  // These belong to locators only.
  const locatorActions = { ...actions };
  for (const name of [
    'clear', 'blur', 'selectText', 'scrollIntoViewIfNeeded', 'boundingBox', 'ariaSnapshot', 'highlight',
  ]) locatorActions[name] = (options) => [name, options];
  for (const name of ['count', 'allTextContents', 'allInnerTexts']) locatorActions[name] = () => [name, undefined];
  kit.pageActions = actions;

  const TIMELESS = ['count', 'allTextContents', 'allInnerTexts', 'isVisible', 'isHidden'];
  const perform = (page, api, selector, action, options = {}) => {
    if (typeof options !== 'object' || options === null) throw new TypeError(`${api}: options must be an object`);
    const timeout = options.timeout ?? (TIMELESS.includes(action) ? undefined : kit.defaultTimeout(page));
    const { force, trial, strict, position, sourcePosition, targetPosition, button, clickCount, delay, steps, modifiers } = options;
    return kit.call(api, {
      locator: {
        page,
        selector,
        action,
        options: { timeout, force, trial, strict, position, sourcePosition, targetPosition, button, clickCount, delay, steps, modifiers },
      },
    });
  };
  kit.perform = perform;

  // Options for a picture; locators in them become their selectors.
  kit.picture = (options = {}) => {
    const plain = { ...options };
    if (plain.mask) plain.mask = plain.mask.map((one) => kit.selectorOf(one));
    return plain;
  };

  class Locator {
    #page;
    #selector;
    constructor(page, selector) {
      this.#page = page;
      this.#selector = selector;
    }
    static {
      kit.isLocator = (value) => typeof value === 'object' && value !== null && #selector in value;
      kit.selectorOf = (locator) => locator.#selector;
      kit.pageOf = (locator) => locator.#page;
      kit.locatorAct = (locator, api, action, options) => perform(locator.#page, api, locator.#selector, action, options);
    }
    get apiName() { return 'locator'; }
    [find](selector) { return new Locator(this.#page, `${this.#selector} >> ${selector}`); }
    #with(suffix) { return new Locator(this.#page, this.#selector + suffix); }
    locator(inner, options) {
      if (kit.isLocator(inner)) return this.#with(` >> internal:chain=${stringify(kit.selectorOf(inner))}${filters(options)}`);
      return this.#with(` >> ${selectorText(inner, 'locator')}${filters(options)}`);
    }
    filter(options) { return this.#with(filters(options)); }
    first() { return this.#with(' >> nth=0'); }
    last() { return this.#with(' >> nth=-1'); }
    nth(index) { return this.#with(` >> nth=${Math.trunc(index) || 0}`); }
    visible() { return this.#with(' >> visible=true'); }
    #joined(engine, other) {
      if (!kit.isLocator(other)) throw new TypeError(`${engine}: a locator is needed`);
      return this.#with(` >> internal:${engine}=${stringify(kit.selectorOf(other))}`);
    }
    and(other) { return this.#joined('and', other); }
    or(other) { return this.#joined('or', other); }
    describe(text) { return this.#with(` >> internal:describe=${stringify(String(text).toWellFormed())}`); }
    contentFrame() { return new FrameLocator(this.#page, this.#selector); }
    page() { return kit.pageById(this.#page); }
    toString() { return `Locator@${this.#selector}`; }
    toJSON() { return this.toString(); }
    async all() {
      const count = await this.count();
      return Array.from({ length: count }, (_, index) => this.nth(index));
    }
    async elementHandle(options) {
      await this.waitFor({ ...options, state: 'attached' });
      return new ElementHandle(this.#page, this.#selector);
    }
    async elementHandles() { return (await this.all()).map((one) => new ElementHandle(this.#page, kit.selectorOf(one))); }
    async waitFor(options = {}) {
      await perform(this.#page, `${this.apiName}.waitFor`, this.#selector, { waitFor: { state: options.state ?? 'visible' } }, options);
    }
    async dragTo(target, options) {
      if (!kit.isLocator(target)) throw new TypeError('dragTo: a locator is needed');
      await perform(this.#page, `${this.apiName}.dragTo`, this.#selector, { dragTo: { target: kit.selectorOf(target) } }, options);
    }
    async screenshot(options = {}) {
      const action = { screenshot: { screenshot: kit.picture(options) } };
      return kit.buffer(await perform(this.#page, `${this.apiName}.screenshot`, this.#selector, action, { timeout: options.timeout }));
    }
    async evaluate(code, argument, options) {
      const action = { evaluate: { function: kit.functionOf(code, [argument]) } };
      return (await perform(this.#page, `${this.apiName}.evaluate`, this.#selector, action, options)).value;
    }
    async evaluateAll(code, argument) {
      const action = { evaluateAll: { function: kit.functionOf(code, [argument]) } };
      return (await perform(this.#page, `${this.apiName}.evaluateAll`, this.#selector, action)).value;
    }
  }
  searchable(Locator.prototype);
  for (const name of Object.keys(locatorActions)) {
    kit.define(Locator.prototype, {
      async [name](...args) {
        const [action, options] = locatorActions[name](...args);
        return kit.locatorAct(this, `${this.apiName}.${name}`, action, options);
      },
    });
  }
  kit.missing(Locator.prototype, 'locator', { evaluateHandle: 'use evaluate, and let it return data' });

  // Like a locator, but made when it was found: our handles find their element anew each time.
  class ElementHandle extends Locator {
    get apiName() { return 'elementHandle'; }
    asElement() { return this; }
    async dispose() {}
    async $(selector) { return kit.query(kit.pageOf(this), `${kit.selectorOf(this)} >> ${selectorText(selector, '$')}`); }
    async $$(selector) { return kit.queryAll(kit.pageOf(this), `${kit.selectorOf(this)} >> ${selectorText(selector, '$$')}`); }
    async $eval(selector, code, argument) { return this.locator(selector).first().evaluate(code, argument); }
    async $$eval(selector, code, argument) { return this.locator(selector).evaluateAll(code, argument); }
    async waitForSelector(selector, options = {}) {
      const locator = this.locator(selector).first();
      await locator.waitFor(options);
      return ['hidden', 'detached'].includes(options.state) ? null : new ElementHandle(kit.pageOf(this), kit.selectorOf(locator));
    }
  }
  kit.ElementHandle = ElementHandle;
  kit.query = async (page, selector) => {
    const count = await new Locator(page, selector).count();
    return count ? new ElementHandle(page, `${selector} >> nth=0`) : null;
  };
  kit.queryAll = (page, selector) => new Locator(page, selector).elementHandles();

  class FrameLocator {
    #page;
    #selector;
    constructor(page, selector) {
      this.#page = page;
      this.#selector = selector;
    }
    [find](selector) { return new Locator(this.#page, `${this.#selector}${ENTER_FRAME} >> ${selector}`); }
    locator(inner, options) {
      const selector = kit.isLocator(inner) ? kit.selectorOf(inner) : selectorText(inner, 'locator');
      return this[find](selector + filters(options));
    }
    owner() { return new Locator(this.#page, this.#selector); }
    first() { return new FrameLocator(this.#page, `${this.#selector} >> nth=0`); }
    last() { return new FrameLocator(this.#page, `${this.#selector} >> nth=-1`); }
    nth(index) { return new FrameLocator(this.#page, `${this.#selector} >> nth=${Math.trunc(index) || 0}`); }
  }
  searchable(FrameLocator.prototype);

  kit.locate = (page, selector, options) => new Locator(page, selectorText(selector, 'locator') + filters(options));
})
