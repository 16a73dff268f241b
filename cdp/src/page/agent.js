// Runs in an isolated world of every document. It measures, checks and watches single elements for
// input actions; it never walks the page and never touches the page's own JavaScript.
(() => {
  'use strict';
  if (globalThis.playguardAgent) return;

  // Forms and documents hand out their named children in place of their own properties, in every
  // world; what matters is therefore read through the prototypes.
  const getter = (owner, name) => {
    const { get } = Object.getOwnPropertyDescriptor(owner.prototype, name);
    return (object) => get.call(object);
  };
  const method = (owner, name) => {
    const own = owner.prototype[name];
    return (object, ...args) => own.apply(object, args);
  };
  const parentElement = getter(Node, 'parentElement');
  const isConnected = getter(Node, 'isConnected');
  const rootOf = method(Node, 'getRootNode');
  const elementSlot = getter(Element, 'assignedSlot');
  const textSlot = getter(Text, 'assignedSlot');
  const boxOf = method(Element, 'getBoundingClientRect');
  const boxesOf = method(Element, 'getClientRects');
  const attribute = method(Element, 'getAttribute');
  const matches = method(Element, 'matches');
  const closest = method(Element, 'closest');
  const contentEditable = getter(HTMLElement, 'isContentEditable');
  const isEditable = (element) => element instanceof HTMLElement && contentEditable(element);
  const animationsOf = method(Element, 'getAnimations');
  const checkVisibility = method(Element, 'checkVisibility');
  const scrollIntoView = method(Element, 'scrollIntoView');
  const childrenOf = getter(Node, 'childNodes');
  const dispatch = method(EventTarget, 'dispatchEvent');
  const focusHtml = method(HTMLElement, 'focus');
  const giveFocus = (element) => (element instanceof HTMLElement ? focusHtml(element) : element.focus && element.focus());
  const page = {
    get title() { return titleOf(document); },
    get body() { return bodyOf(document); },
    get root() { return documentRoot(document); },
    get active() { return activeIn(document); },
    query: (selector) => queryIn(document, selector),
    queryAll: (selector) => queryAllIn(document, selector),
    range: () => rangeIn(document),
  };
  const titleOf = getter(Document, 'title');
  const bodyOf = getter(Document, 'body');
  const documentRoot = getter(Document, 'documentElement');
  const activeIn = getter(Document, 'activeElement');
  const queryIn = method(Document, 'querySelector');
  const queryAllIn = method(Document, 'querySelectorAll');
  const rangeIn = method(Document, 'createRange');
  const focusIn = method(Document, 'hasFocus');
  const textOf = getter(Node, 'textContent');
  const innerTextOf = getter(HTMLElement, 'innerText');
  const htmlOf = getter(Element, 'innerHTML');
  const fontsOf = getter(Document, 'fonts');
  const sheetsOf = getter(Document, 'adoptedStyleSheets');

  const slotOf = (node) => (node instanceof Element ? elementSlot(node) : node instanceof Text ? textSlot(node) : null);
  const parentOf = (node) => {
    const outer = slotOf(node) || parentElement(node);
    if (outer) return outer;
    const root = rootOf(node);
    return root instanceof ShadowRoot ? root.host : null;
  };

  const contains = (outer, inner) => {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  };

  const asElement = (node) => (node instanceof Element ? node : parentElement(node));

  const isVisible = (element) => {
    const style = getComputedStyle(element);
    if (style.display === 'contents') {
      for (const child of childrenOf(element)) {
        if (child instanceof Element && isVisible(child)) return true;
        if (child instanceof Text) {
          const range = page.range();
          range.selectNode(child);
          const box = range.getBoundingClientRect();
          if (box.width > 0 && box.height > 0) return true;
        }
      }
      return false;
    }
    if (!checkVisibility(element) || style.visibility !== 'visible') return false;
    const box = boxOf(element);
    return box.width > 0 && box.height > 0;
  };

  const NATIVE = 'button, input, select, textarea, option, optgroup, fieldset';
  const ARIA_DISABLEABLE = /^(application|button|composite|gridcell|group|input|link|menuitem|scrollbar|separator|tab|checkbox|columnheader|combobox|grid|listbox|menu|menubar|menuitemcheckbox|menuitemradio|option|radio|radiogroup|row|rowheader|searchbox|select|slider|spinbutton|switch|tablist|textbox|toolbar|tree|treegrid|treeitem)$/;
  const isDisabled = (element) => {
    if (matches(element, NATIVE) && matches(element, ':disabled')) return true;
    const role = attribute(element, 'role');
    if (!matches(element, NATIVE + ', a[href]') && !(role && ARIA_DISABLEABLE.test(role.trim().split(/\s+/)[0]))) return false;
    for (let node = element; node; node = parentOf(node)) {
      const own = (attribute(node, 'aria-disabled') || '').toLowerCase();
      if (own === 'true') return true;
      if (own === 'false') return false;
    }
    return false;
  };

  const READONLY_ROLE = /^(checkbox|combobox|grid|gridcell|listbox|radiogroup|slider|spinbutton|textbox|columnheader|rowheader|searchbox|switch|treegrid)$/;
  // 'yes', 'no', or 'never' for an element that cannot take text at all.
  const editable = (element) => {
    if (matches(element, 'input, textarea, select')) return matches(element, 'select') || !element.readOnly ? 'yes' : 'no';
    if (isEditable(element)) return 'yes';
    const role = (attribute(element, 'role') || '').trim().split(/\s+/)[0];
    if (READONLY_ROLE.test(role)) return attribute(element, 'aria-readonly') === 'true' ? 'no' : 'yes';
    return 'never';
  };

  const retarget = (node, behaviour) => {
    let element = asElement(node);
    if (!element) return null;
    if (behaviour === 'none') return element;
    if (!matches(element, 'input, textarea, select') && !isEditable(element)) {
      if (behaviour === 'button-link') element = closest(element, 'button, [role=button], a, [role=link]') || element;
      else element = closest(element, 'button, [role=button], [role=checkbox], [role=radio]') || element;
    }
    if (behaviour === 'follow-label' && !matches(element, 'a, input, textarea, button, select, [role=link], [role=button], [role=checkbox], [role=radio]') && !isEditable(element)) {
      const label = closest(element, 'label');
      if (label && label.control) element = label.control;
    }
    return element;
  };

  const moving = (element) => {
    for (let node = element; node; node = parentOf(node)) {
      for (const animation of animationsOf(node)) {
        if (animation.playState === 'running' && animation.effect && animation.effect.getComputedTiming().progress !== null) return true;
      }
    }
    return false;
  };

  const sameBox = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
  const frame = () => new Promise((done) => {
    // Hidden or throttled pages may get no animation frame for long.
    const timer = setTimeout(done, 100);
    requestAnimationFrame(() => { clearTimeout(timer); done(); });
  });

  const stable = async (element) => {
    if (!moving(element)) return true;
    let before = boxOf(element);
    for (let same = 0; same < 2; ) {
      await frame();
      const now = boxOf(element);
      if (!sameBox(before, now)) return false;
      same++;
      before = now;
    }
    return true;
  };

  const missing = (element, states) => {
    for (const state of states) {
      if (state === 'visible' && !isVisible(element)) return 'visible';
      if (state === 'enabled' && isDisabled(element)) return 'enabled';
      if (state === 'editable') {
        if (isDisabled(element)) return 'enabled';
        const can = editable(element);
        if (can === 'never') return 'never-editable';
        if (can === 'no') return 'editable';
      }
    }
    return null;
  };

  // The centre of the first box, clipped to the viewport; null when nothing of it is inside.
  const pointIn = (element) => {
    const width = page.root.clientWidth || innerWidth;
    const height = Math.max(page.root.clientHeight, innerHeight);
    let boxes = [...element.getClientRects()];
    if (!boxes.length && getComputedStyle(element).display === 'contents') {
      const range = page.range();
      range.selectNodeContents(element);
      boxes = [...range.getClientRects()];
    }
    let seen = false;
    for (const box of boxes) {
      if (box.width * box.height <= 0.99) continue;
      seen = true;
      const left = Math.max(0, box.left), top = Math.max(0, box.top);
      const right = Math.min(Math.max(width, innerWidth), box.right), bottom = Math.min(height, box.bottom);
      if ((right - left) * (bottom - top) > 0.99) return { x: (left + right) / 2, y: (top + bottom) / 2 };
    }
    return seen ? null : undefined;
  };

  const hitAt = (element, x, y) => {
    const roots = [];
    for (let root = rootOf(element); ; root = rootOf(root.host)) {
      roots.push(root);
      if (!(root instanceof ShadowRoot)) break;
    }
    let hit = null;
    while (roots.length) {
      const found = roots.pop().elementFromPoint(x, y);
      if (!found) break;
      hit = found;
      const next = roots[roots.length - 1];
      if (next && next.host !== hit) break;
    }
    // Deeper open roots below the innermost root of the target.
    while (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  const hides = (host, element) => {
    for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(root.host)) if (root.host === host) return true;
    return false;
  };

  const accepts = (element, hit) => {
    if (!hit) return false;
    if (contains(element, hit)) return true;
    const label = closest(hit, 'label');
    return !!label && label.control === element;
  };

  // Watches the document for signs of life between two calls.
  const activity = { count: 0, last: 0, waiters: new Set() };
  const stir = () => {
    activity.count++;
    activity.last = performance.now();
    for (const wake of activity.waiters) wake();
  };
  let observer = null;
  const observe = () => {
    if (!observer) {
      observer = new MutationObserver(stir);
      for (const type of ['input', 'change', 'scroll', 'toggle', 'transitionend'])
        addEventListener(type, stir, { capture: true, passive: true });
    }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  };
  const task = () => new Promise((done) => setTimeout(done, 0));

  let guard = null;
  const EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'mousemove', 'pointermove', 'mouseover', 'pointerover'];
  const PRESSES = new Set(['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu']);
  const onEvent = (event) => {
    if (!guard || !event.isTrusted) return;
    const press = PRESSES.has(event.type);
    if (event.type === 'mouseup' && --guard.releases === 0 && guard.released) guard.released();
    if (guard.verdict === null && (press || guard.hover)) {
      const shown = asElement(event.composedPath()[0] || event.target) || null;
      // Of what is in a closed shadow tree, events show only the host.
      const hit = shown && hides(shown, guard.element) ? hitAt(guard.element, event.clientX, event.clientY) : shown;
      // An element that has gone under the pointer is no reason to press what lay below it.
      if (isConnected(guard.element) && accepts(guard.element, hit)) guard.verdict = 'hit';
      else {
        guard.verdict = 'missed';
        agent.obstacle = hit;
      }
    }
    if (guard.verdict === 'missed' && press) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  // From before the page's first script on, so that no listener of its own comes first. A document that
  // is written anew loses them.
  const listen = () => {
    for (const type of EVENTS) addEventListener(type, onEvent, { capture: true, passive: false });
  };
  listen();
  const arm = (element, hover, releases) => {
    guard = { element, hover, verdict: null, releases, released: null };
    listen();
  };
  const disarm = () => {
    const verdict = guard ? guard.verdict : null;
    guard = null;
    return verdict;
  };

  const setNative = (element, value) => {
    const prototype = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
    Object.getOwnPropertyDescriptor(prototype, 'value').set.call(element, value);
  };
  const fire = (element, type) => dispatch(element, new Event(type, { bubbles: true, composed: true }));
  const collapse = (text) => text.replace(/[\u200b\u00ad]/g, '').trim().replace(/\s+/g, ' ');
  const SETTABLE = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'range', 'week']);
  const TYPEABLE = new Set(['', 'email', 'number', 'password', 'search', 'tel', 'text', 'url']);

  const noteDrag = (event) => { agent.dragEvent = event; };

  const agent = globalThis.playguardAgent = {
    obstacle: null,
    dragEvent: null,
    standsInTheWay: () => agent.obstacle,

    // Whether an element may be acted on, and where. Arms the guard that checks the real event.
    async prepare(node, { states, behaviour, point, hover, watch, releases }) {
      if (!isConnected(node)) return { error: 'detached' };
      const element = retarget(node, behaviour || 'none');
      if (!element) return { error: 'detached' };
      const lacks = missing(element, states);
      if (lacks) return { error: lacks };
      if (states.includes('stable') && !(await stable(element))) return { error: 'stable' };
      if (!point) return {};
      const at = pointIn(node instanceof Element ? node : element);
      if (at === undefined) return { error: 'boxless' };
      if (at === null) return { error: 'outside' };
      const target = retarget(node, 'button-link');
      const hit = hitAt(target, at.x, at.y);
      if (!accepts(target, hit)) {
        agent.obstacle = hit;
        return { error: 'covered', ...at };
      }
      if (watch) {
        observe();
        activity.count = 0;
      }
      if (point === 'guard') arm(target, !!hover, releases || 0);
      return { ...at };
    },

    // For an iframe element: whether the point of its content shows it, and where its content begins.
    frameOffset(element, x, y) {
      const box = boxOf(element);
      const style = getComputedStyle(element);
      const scaleX = element.offsetWidth ? box.width / element.offsetWidth : 1;
      const scaleY = element.offsetHeight ? box.height / element.offsetHeight : 1;
      const left = box.left + (element.clientLeft + parseFloat(style.paddingLeft || '0')) * scaleX;
      const top = box.top + (element.clientTop + parseFloat(style.paddingTop || '0')) * scaleY;
      const at = { x: left + x * scaleX, y: top + y * scaleY };
      const hit = hitAt(element, at.x, at.y);
      if (!accepts(element, hit)) agent.obstacle = hit;
      return { ...at, open: accepts(element, hit), visible: isVisible(element) };
    },

    scroll(element, attempt) {
      const places = ['end', 'center', 'start', 'nearest'];
      scrollIntoView(element, { block: places[attempt % 4], inline: places[attempt % 4], behavior: 'instant' });
    },

    // After the input events: where they went.
    verdict: () => disarm(),

    // Ends when nothing has stirred for a moment: `quiet` ms, but `idle` ms when nothing has stirred
    // at all, and never later than `limit` ms.
    async rest({ quiet, idle, limit }) {
      if (guard && guard.releases > 0) {
        // Asked for together with the events: they come first. A click follows its release at once.
        const armed = guard;
        await new Promise((done) => {
          const timer = setTimeout(done, 1000);
          armed.released = () => { clearTimeout(timer); done(); };
        });
        await task();
      }
      const verdict = disarm();
      const began = performance.now();
      for (;;) {
        const seen = activity.count;
        await task();
        await task();
        const now = performance.now();
        if (now - began >= limit) break;
        if (activity.count !== seen) continue;
        const wait = activity.count === 0 ? idle - (now - began) : quiet - (now - activity.last);
        if (wait <= 0) break;
        await new Promise((done) => {
          const wake = () => { clearTimeout(timer); activity.waiters.delete(wake); done(); };
          const timer = setTimeout(wake, Math.min(wait, limit - (now - began)));
          activity.waiters.add(wake);
        });
      }
      const changes = activity.count;
      if (observer) observer.disconnect();
      return { verdict, stirred: changes > 0, changes };
    },

    // How often the document has changed since it is watched; -1 while the awaited events are still to come.
    pulse: () => (guard && guard.releases > 0 ? -1 : activity.count),

    watch() {
      observe();
      activity.count = 0;
    },

    // Resolves at the next change of the document, or after `limit` ms.
    changed({ limit }) {
      observe();
      return new Promise((done) => {
        const wake = () => { clearTimeout(timer); activity.waiters.delete(wake); done(activity.count); };
        const timer = setTimeout(wake, limit);
        activity.waiters.add(wake);
      });
    },

    // Focuses and selects what a fill is to replace, or sets the value where typing cannot.
    fill(node, text) {
      if (!isConnected(node)) return { error: 'detached' };
      const element = retarget(node, 'follow-label');
      const lacks = missing(element, ['visible', 'editable']);
      if (lacks) return { error: lacks };
      if (element instanceof HTMLInputElement) {
        const type = element.type.toLowerCase();
        if (SETTABLE.has(type)) {
          const value = text.trim();
          giveFocus(element);
          setNative(element, type === 'color' ? value.toLowerCase() : value);
          if (element.value !== (type === 'color' ? value.toLowerCase() : value)) return { fatal: 'Malformed value' };
          fire(element, 'input');
          fire(element, 'change');
          return { done: true };
        }
        if (!TYPEABLE.has(type)) return { fatal: `Input of type "${type}" cannot be filled` };
        if (type === 'number' && text.trim() !== '' && isNaN(Number(text.trim()))) return { fatal: 'Cannot type text into input[type=number]' };
      } else if (!(element instanceof HTMLTextAreaElement) && !isEditable(element)) {
        return { fatal: 'Element is not an <input>, <textarea> or [contenteditable] element' };
      }
      agent.selectText(element);
      return { done: false };
    },

    selectText(element) {
      giveFocus(element);
      if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
        element.select();
        return;
      }
      const range = page.range();
      range.selectNodeContents(element);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    },

    // What a field holds after it was filled, and the title of its document; no value for secrets and
    // for what has none.
    field(node) {
      const element = isConnected(node) ? retarget(node, 'follow-label') : null;
      const text = element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && element.type !== 'file');
      return {
        title: page.title,
        connected: !!element,
        value: text ? element.value : null,
        secret: text && element.type === 'password',
      };
    },

    // Gives an element the keyboard. A text field that did not have it gets its caret at the start.
    focus(node, resetCaret) {
      if (!isConnected(node)) return { error: 'detached' };
      const element = retarget(node, 'follow-label');
      const root = rootOf(element);
      const had = root.activeElement === element;
      giveFocus(element);
      if (resetCaret && !had && (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) {
        try { element.setSelectionRange(0, 0); } catch { /* not a type with a caret */ }
      }
      return {};
    },

    select(node, values, byLabelOnly) {
      if (!isConnected(node)) return { error: 'detached' };
      const element = retarget(node, 'follow-label');
      if (!(element instanceof HTMLSelectElement)) return { fatal: 'Element is not a <select> element' };
      const lacks = missing(element, ['visible', 'enabled']);
      if (lacks) return { error: lacks };
      const options = [...element.options];
      const wanted = new Map(values.map((value) => [value, false]));
      const chosen = [];
      for (const option of options) {
        const match = values.find((value) =>
          (!byLabelOnly && option.value === value) || collapse(option.label) === collapse(value));
        if (match === undefined) continue;
        if (isDisabled(option)) return { error: 'option-disabled' };
        wanted.set(match, true);
        chosen.push(option);
        if (!element.multiple) {
          wanted.forEach((_, value) => wanted.set(value, true));
          break;
        }
      }
      if ([...wanted.values()].some((found) => !found)) {
        return {
          error: 'options-missing',
          missing: [...wanted].filter(([, found]) => !found).map(([value]) => value),
          options: options.slice(0, 50).map((option) => ({ value: option.value, label: collapse(option.label) })),
        };
      }
      for (const option of options) option.selected = chosen.includes(option);
      fire(element, 'input');
      fire(element, 'change');
      return { values: chosen.map((option) => option.value), kept: chosen.every((option) => option.selected) };
    },

    inputValue(node) {
      if (!isConnected(node)) return { error: 'detached' };
      const element = retarget(node, 'follow-label');
      if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement)
        return { value: element.value };
      return { fatal: 'Node is not an <input>, <textarea> or <select> element' };
    },

    checkedState(node) {
      if (!isConnected(node)) return { error: 'detached' };
      const element = retarget(node, 'follow-label');
      const role = (attribute(element, 'role') || '').trim();
      const native = element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio');
      if (!native && !/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio|option|treeitem)$/.test(role))
        return { fatal: 'Not a checkbox or radio button' };
      return {
        checked: native ? element.checked : attribute(element, 'aria-checked') === 'true',
        radio: native ? element.type === 'radio' : role === 'radio',
      };
    },

    // Dispatches a drop of files and data, the way a browser would after a drag from outside.
    async drop(node, { files, data, x, y }) {
      if (!isConnected(node)) return { error: 'detached' };
      const transfer = new DataTransfer();
      for (const file of files) {
        const bytes = Uint8Array.from(atob(file.base64), (c) => c.charCodeAt(0));
        transfer.items.add(new File([bytes], file.name, { type: file.mime, lastModified: file.modified }));
      }
      for (const [type, value] of Object.entries(data)) transfer.setData(type, value);
      const send = (type) => {
        const event = new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: transfer, clientX: x, clientY: y });
        dispatch(node, event);
        return event.defaultPrevented;
      };
      send('dragenter');
      if (!send('dragover')) {
        send('dragleave');
        return { fatal: 'Drop target did not accept the drop — its dragover handler did not call preventDefault()' };
      }
      send('drop');
      return {};
    },

    // What has the keyboard here, and how many checkboxes are neither on nor off.
    marks(candidate) {
      const active = focusIn(document) ? page.active : null;
      const mixed = page.query('input:indeterminate') ? agent.mixed().length : 0;
      const focus = !active ? 'none' : active === page.body ? 'body' : active === candidate ? 'candidate' : 'element';
      return { focus, mixed };
    },
    active: () => (page.active === page.body ? null : page.active),
    mixed: () => [...page.queryAll('input[type=checkbox]:indeterminate')],
    mixedAt: (index) => agent.mixed()[index] || null,

    // Single questions, and what needs no input events.
    ask(node, what, name) {
      const element = asElement(node);
      switch (what) {
        case 'textContent': return textOf(node);
        case 'innerText': return element instanceof HTMLElement ? innerTextOf(element) : textOf(node);
        case 'innerHTML': return htmlOf(element);
        case 'attribute': return attribute(element, name);
        case 'visible': return isConnected(element) && isVisible(element);
        case 'enabled': return !isDisabled(retarget(element, 'follow-label'));
        case 'editable': return !missing(retarget(element, 'follow-label'), ['editable']);
        case 'box': {
          if (!boxesOf(element).length) return null;
          const { x, y, width, height } = boxOf(element);
          return { x, y, width, height };
        }
        case 'focus': return giveFocus(element);
        case 'blur': return element.blur && element.blur();
        case 'selectText': return agent.selectText(retarget(element, 'follow-label'));
        case 'scroll': return agent.scroll(element, 1);
      }
    },

    setContent(html) {
      document.open();
      document.write(html);
      document.close();
      listen();
    },

    storage(area, operation, key, value) {
      const store = globalThis[area];
      switch (operation) {
        case 'list':
          return Array.from({ length: store.length }, (_, at) => store.key(at)).map((name) => [name, store.getItem(name)]);
        case 'get': return store.getItem(key);
        case 'set': return store.setItem(key, value);
        case 'remove': return store.removeItem(key);
        case 'clear': return store.clear();
      }
    },

    // Whether a press in this document turns into a drag of the HTML kind.
    watchDrag() {
      agent.dragEvent = null;
      removeEventListener('dragstart', noteDrag, { capture: true });
      addEventListener('dragstart', noteDrag, { capture: true, once: true });
    },
    dragBegan: () => !!agent.dragEvent && !agent.dragEvent.defaultPrevented,

    facts: () => ({
      title: page.title,
      url: location.href,
      width: innerWidth,
      height: innerHeight,
      ratio: devicePixelRatio,
    }),

    async extent() {
      await Promise.race([fontsOf(document).ready, new Promise((done) => setTimeout(done, 1000))]);
      const { body, root } = page;
      const most = (name) => Math.max(body ? body['scroll' + name] : 0, root['scroll' + name],
        body ? body['offset' + name] : 0, root['offset' + name], body ? body['client' + name] : 0, root['client' + name]);
      return {
        width: innerWidth, height: innerHeight, ratio: devicePixelRatio,
        zoom: visualViewport ? visualViewport.scale : 1,
        scrollX: visualViewport ? visualViewport.pageLeft : scrollX, scrollY: visualViewport ? visualViewport.pageTop : scrollY,
        fullWidth: most('Width'), fullHeight: most('Height'),
      };
    },

    // A style sheet of our own that makes carets invisible, in this document only.
    caret(shown) {
      if (shown) {
        const at = agent.caretSheet ? sheetsOf(document).indexOf(agent.caretSheet) : -1;
        if (at >= 0) sheetsOf(document).splice(at, 1);
        agent.caretSheet = null;
      } else if (!agent.caretSheet) {
        agent.caretSheet = new CSSStyleSheet();
        agent.caretSheet.replaceSync('*:not(#playguard-none) { caret-color: transparent !important; }');
        sheetsOf(document).push(agent.caretSheet);
      }
      return null;
    },

    contentBox(element) {
      const box = boxOf(element);
      const style = getComputedStyle(element);
      return {
        x: box.x + element.clientLeft + parseFloat(style.paddingLeft || '0'),
        y: box.y + element.clientTop + parseFloat(style.paddingTop || '0'),
        width: box.width, height: box.height,
      };
    },

    box(element) {
      const box = boxOf(element);
      return { x: box.x, y: box.y, width: box.width, height: box.height };
    },

    visibleNow: (element) => isConnected(element) && isVisible(element),
  };
})();
