#!/usr/bin/env python3
"""Side-by-side benchmark of MCP browser servers, on the same pages and the same work.

    python3 bench.py                                  # everything that is installed
    python3 bench.py --servers playwright,ours --quick
    OURS='["/path/to/another/build"]' python3 bench.py --servers floor,playwright,ours

Standard library only. Every server runs headless with the same browser binary, as an MCP
stdio server of its own; calls of different servers are interleaved round robin within one
run, so that a noisy machine disturbs all of them alike. What is reported are medians, 95th
percentiles and ratios to a base server (playwright): a ratio is the median of the ratios of
calls made in the same round, so trust it more than the milliseconds beside it.

`floor` is no MCP server: it is raw CDP over a pipe, from this process, doing the bare minimum
that has the same effect (see RawCdp). It is a lower bound, not a peer: it checks nothing
before it clicks, and its snapshot is a plain walk over the DOM.

Settings (environment):
    CHROMIUM        browser binary (default /usr/bin/chromium)
    BENCH_MODULES   node_modules with @playwright/mcp and chrome-devtools-mcp
    AGENT_BROWSER   the agent-browser binary
    OURS            JSON array: the command of PlayGuard (default: the release build of this
                    repository). It gets the same flags as playwright behind it, unless OURS_RAW=1
A server whose files are missing is skipped. Servers are added in `registry()`.
"""
import argparse
import asyncio
import base64
import contextlib
import dataclasses
import datetime
import fcntl
import http.server
import json
import math
import os
import pathlib
import platform
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE / 'pages'
CHROMIUM = os.environ.get('CHROMIUM', '/usr/bin/chromium')
CALL_TIMEOUT = 60.0
VERBOSE = '--verbose' in sys.argv
VIEWPORT = (1280, 720)

# page -> texts that a complete snapshot of it shows (used for "coverage").
SENTINELS = {
    'form': ['Sign up', 'Fill the form', 'Full name', 'Austria', 'Submit'],
    'table': ['Orders', 'Order 0', 'Order 1999', 'Open 1999', 'Status'],
    'nested': ['Nested', 'Leaf 0 ', 'Leaf 2500 ', 'Last leaf'],
    'spa': ['Tasks', 'Uptime', 'Add task', 'Task 4', 'Remove'],
    'article': ['A long article', 'Section 29', 'note 29.5', 'very last words'],
    'frames': ['Frames', 'Full name', 'Inline frame', 'Inline button', 'Inner frame', 'Inner field'],
}


# --------------------------------------------------------------------------------------------
# Numbers

def quantile(values, q):
    """Nearest-rank quantile; for few samples the 95th percentile is the largest."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(q * len(ordered)) - 1))]


def summary(values):
    values = [v for v in values if v is not None]
    if not values:
        return None
    return {'n': len(values), 'median': statistics.median(values), 'p95': quantile(values, .95),
            'min': min(values), 'max': max(values)}


def paired_ratio(values, base):
    """Median of same-round ratios: robust against load that comes and goes."""
    pairs = [v / b for v, b in zip(values, base) if v is not None and b]
    return statistics.median(pairs) if pairs else None


# --------------------------------------------------------------------------------------------
# Processes. Everything that a session starts carries BENCH_TAG in its environment, so daemons
# that leave the process tree are found too, and nothing else is ever touched.

def _read(path, mode='rb'):
    try:
        with open(path, mode) as f:
            return f.read()
    except OSError:
        return b'' if 'b' in mode else ''


def owned_pids(tag):
    need, owned, parent = f'BENCH_TAG={tag}'.encode(), set(), {}
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        pid = int(name)
        stat = _read(f'/proc/{pid}/stat', 'r')
        if not stat or stat.rsplit(')', 1)[1].split()[0] == 'Z':
            continue
        parent[pid] = int(stat.rsplit(')', 1)[1].split()[1])
        if need in _read(f'/proc/{pid}/environ').split(b'\0'):
            owned.add(pid)
    grown = True
    while grown:
        more = {p for p, pp in parent.items() if pp in owned} - owned
        owned |= more
        grown = bool(more)
    return owned


def is_browser(pid):
    try:
        exe = os.path.basename(os.readlink(f'/proc/{pid}/exe'))
    except OSError:
        return False
    # The Debian wrapper is a shell script until it has exec'd the browser.
    return exe.startswith(('chrom', 'headless_shell')) and 'chromedriver' not in exe


def browser_main(tag):
    """The browser's main process (no --type=), or None."""
    for pid in sorted(owned_pids(tag)):
        args = _read(f'/proc/{pid}/cmdline').split(b'\0')
        if is_browser(pid) and not any(a.startswith(b'--type=') for a in args) and b'crashpad' not in args[0]:
            return pid
    return None


def memory(tag):
    """RSS and PSS in MiB of the server's processes without the browser, and of the browser."""
    out = {'server_rss': 0.0, 'server_pss': 0.0, 'server_processes': 0, 'browser_pss': 0.0, 'browser_processes': 0}
    for pid in owned_pids(tag):
        rollup = _read(f'/proc/{pid}/smaps_rollup', 'r')
        rss = sum(int(x) for x in re.findall(r'^Rss:\s+(\d+)', rollup, re.M)) / 1024
        pss = sum(int(x) for x in re.findall(r'^Pss:\s+(\d+)', rollup, re.M)) / 1024
        if is_browser(pid):
            out['browser_pss'] += pss
            out['browser_processes'] += 1
        else:
            out['server_rss'] += rss
            out['server_pss'] += pss
            out['server_processes'] += 1
    return out


def split_pids(tag):
    """(server's processes, browser's processes)"""
    pids = owned_pids(tag)
    browser = {p for p in pids if is_browser(p)}
    return pids - browser, browser


def cpu_ms(pids):
    """CPU time of processes so far, children that they waited for included."""
    ticks = 0
    for pid in pids:
        fields = _read(f'/proc/{pid}/stat', 'r').rsplit(')', 1)[-1].split()
        ticks += sum(int(x) for x in fields[11:15]) if len(fields) > 15 else 0
    return ticks * 1000 / os.sysconf('SC_CLK_TCK')


def kill_owned(tag):
    for pid in owned_pids(tag):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


# --------------------------------------------------------------------------------------------
# Static pages, served by a process of their own

class PageHandler(http.server.SimpleHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def __init__(self, *args):
        super().__init__(*args, directory=str(PAGES))

    def end_headers(self):
        self.send_header('Cache-Control', 'no-store')
        super().end_headers()

    def log_message(self, *args):
        pass


def serve_pages():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), PageHandler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


@contextlib.contextmanager
def page_server():
    proc = subprocess.Popen([sys.executable, __file__, '--serve'], stdout=subprocess.PIPE, text=True)
    try:
        yield f'http://127.0.0.1:{int(proc.stdout.readline())}'
    finally:
        proc.kill()
        proc.wait()


# --------------------------------------------------------------------------------------------
# Sessions: one running server each, all with the same abstract operations

@dataclasses.dataclass
class Result:
    ms: float
    ok: bool = True
    text: str = ''          # all text content
    wire_bytes: int = 0     # the whole response line
    image_bytes: int = 0    # decoded size of images
    image_type: str = ''

    @property
    def text_bytes(self):
        return len(self.text.encode())

    @property
    def tokens(self):
        return round(self.text_bytes / 4)


class Session:
    def __init__(self, server, root):
        self.server = server
        self.tag = uuid.uuid4().hex[:12]
        self.workdir = pathlib.Path(tempfile.mkdtemp(prefix=f'{server.name}-', dir=root))
        self.env = {**os.environ, 'BENCH_TAG': self.tag}
        self.spawned = None

    async def start(self, list_tools=True): ...
    async def do(self, op, **kw) -> Result: ...

    async def find(self, role, name, text=None):
        """Handle of an element, from a snapshot text or from fresh snapshots."""
        tried = []
        for variant in ([] if text is None else [None]) + list(self.server.dialect.snapshot_variants):
            snap = text if variant is None else (await self.do('snapshot', **variant)).text
            handle = self.server.dialect.find(snap, role, name)
            if handle:
                return handle
            tried.append(snap[:200])
        raise RuntimeError(f'{self.server.name}: no {role} "{name}" in {tried}')

    async def number(self, expression):
        """Value of a JavaScript expression that gives an integer (untimed)."""
        result = await self.do('evaluate', expression=expression)
        match = re.search(r'(?m)^\s*"?(-?\d+(?:\.\d+)?)"?\s*$', result.text)
        if not match:
            raise RuntimeError(f'{self.server.name}: no number in {result.text[:200]!r}')
        return float(match.group(1))

    async def stop(self):
        await asyncio.to_thread(kill_owned, self.tag)
        shutil.rmtree(self.workdir, ignore_errors=True)


class McpSession(Session):
    async def start(self, list_tools=True):
        self.env.update(self.server.env(self))
        self.log = open(self.workdir / 'stderr.log', 'wb')
        self.next_id, self.pending = 0, {}
        self.spawned = time.perf_counter()
        self.proc = await asyncio.create_subprocess_exec(
            *self.server.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
            env=self.env, cwd=self.workdir, limit=1 << 28, start_new_session=True)
        self.reader = asyncio.create_task(self._read_loop())
        _, _, answer = await self.request('initialize', {
            'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {'name': 'bench', 'version': '1'}})
        self.info = answer['result'].get('serverInfo', {})
        self._send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})
        self.initialized_ms = (time.perf_counter() - self.spawned) * 1000
        self.tools, self.tools_bytes = {}, 0
        if list_tools:
            await self.list_tools()

    async def list_tools(self):
        params = {}
        while True:
            at, size, answer = await self.request('tools/list', params)
            self.tools.update({t['name']: t for t in answer['result']['tools']})
            self.tools_bytes += size
            if not answer['result'].get('nextCursor'):
                break
            params = {'cursor': answer['result']['nextCursor']}
        self.listed_ms = (at - self.spawned) * 1000

    def _send(self, message):
        self.proc.stdin.write(json.dumps(message, separators=(',', ':')).encode() + b'\n')

    async def _read_loop(self):
        with contextlib.suppress(asyncio.CancelledError):
            while line := await self.proc.stdout.readline():
                at = time.perf_counter()
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                if 'method' not in message:
                    future = self.pending.pop(message.get('id'), None)
                    if future and not future.done():
                        future.set_result((at, len(line), message))
                elif 'id' in message:
                    reply = {'result': {}} if message['method'] == 'ping' else \
                            {'error': {'code': -32601, 'message': 'not supported'}}
                    self._send({'jsonrpc': '2.0', 'id': message['id'], **reply})
        for future in self.pending.values():
            if not future.done():
                future.set_exception(ConnectionError('server closed its output'))

    async def request(self, method, params, timeout=CALL_TIMEOUT):
        self.next_id += 1
        future = self.pending[self.next_id] = asyncio.get_running_loop().create_future()
        self._send({'jsonrpc': '2.0', 'id': self.next_id, 'method': method, 'params': params})
        return await asyncio.wait_for(future, timeout)

    async def do(self, op, timeout=CALL_TIMEOUT, **kw):
        result = await self._do(op, timeout, kw)
        if VERBOSE and (not result.ok or result.ms > 5000):
            print(f'    {self.server.name} {op} {result.ms:.0f} ms: {result.text[:150]!r}', file=sys.stderr, flush=True)
        return result

    async def _do(self, op, timeout, kw):
        tool, arguments = self.server.dialect.call(op, kw, self)
        began = time.perf_counter()
        try:
            at, size, answer = await self.request('tools/call', {'name': tool, 'arguments': arguments}, timeout)
        except (asyncio.TimeoutError, ConnectionError, OSError) as e:
            return Result((time.perf_counter() - began) * 1000, ok=False, text=f'{type(e).__name__}: {e}')
        result = Result((at - began) * 1000, wire_bytes=size)
        if 'error' in answer:
            result.ok, result.text = False, json.dumps(answer['error'])
            return result
        parts = answer['result'].get('content', [])
        result.ok = not answer['result'].get('isError')
        result.text = '\n'.join(p['text'] for p in parts if p.get('type') == 'text')
        for p in parts:
            if p.get('type') == 'image':
                result.image_bytes += len(base64.b64decode(p['data']))
                result.image_type = p.get('mimeType', '')
        return result

    async def stop(self):
        if hasattr(self, 'proc'):
            if self.server.goodbye and self.proc.returncode is None:
                with contextlib.suppress(Exception):
                    await self.request('tools/call', {'name': self.server.goodbye, 'arguments': {}}, 5)
            with contextlib.suppress(Exception):
                self.proc.stdin.close()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.proc.wait(), 3)
            self.reader.cancel()
            self.log.close()
        await super().stop()
        if hasattr(self, 'proc'):
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self.proc.wait(), 3)


class AgentDaemonSession(McpSession):
    """agent-browser's daemon, spoken to over its socket: what its engine costs without the
    process that its MCP mode starts for every call. The MCP server only opens the browser."""

    async def start(self, list_tools=True):
        await super().start(list_tools)
        self.sock = None

    async def do(self, op, timeout=CALL_TIMEOUT, **kw):
        if self.sock is None:
            result = await super().do('navigate', url=kw.get('url', 'about:blank'))
            self.sock = self.workdir / 'sock' / 'default.sock'
            if op == 'navigate':
                return result
        message = {'id': 'b1', **{
            'navigate': lambda: {'action': 'navigate', 'url': kw['url']},
            'snapshot': lambda: {'action': 'snapshot'},
            'click': lambda: {'action': 'click', 'selector': '@' + kw['handle']},
            'type': lambda: {'action': 'fill', 'selector': '@' + kw['handle'], 'value': kw['text']},
            'evaluate': lambda: {'action': 'evaluate', 'script': kw['expression']},
            'screenshot': lambda: {'action': 'screenshot'},
            'tabs': lambda: {'action': 'tab_list'},
            'wait_text': lambda: {'action': 'wait', 'text': kw['text']},
        }[op]()}
        began = time.perf_counter()
        try:
            reader, writer = await asyncio.open_unix_connection(str(self.sock), limit=1 << 28)
            writer.write(json.dumps(message).encode() + b'\n')
            line = await asyncio.wait_for(reader.readline(), timeout)
            at = time.perf_counter()
            writer.close()
            answer = json.loads(line)
        except (OSError, ValueError, asyncio.TimeoutError) as e:
            return Result((time.perf_counter() - began) * 1000, ok=False, text=f'{type(e).__name__}: {e}')
        data = answer.get('data') or {}
        text = data.get('snapshot', data.get('result', data)) if answer.get('success') else answer.get('error')
        return Result((at - began) * 1000, ok=bool(answer.get('success')), wire_bytes=len(line),
                      text=text if isinstance(text, str) else json.dumps(text))


class RawCdp(Session):
    """The floor: raw CDP over a pipe, in this process, with the least that has the effect."""

    FLAGS = ['--headless', '--no-sandbox', '--remote-debugging-pipe', '--no-startup-window', '--no-first-run',
             '--no-default-browser-check', '--disable-background-networking', '--disable-component-update',
             '--disable-extensions', '--disable-default-apps', '--disable-sync', '--disable-field-trial-config',
             '--disable-backgrounding-occluded-windows', '--disable-renderer-backgrounding',
             '--disable-background-timer-throttling', '--hide-scrollbars', '--mute-audio', '--metrics-recording-only',
             '--password-store=basic', '--use-mock-keychain', '--disable-dev-shm-usage', '--disable-search-engine-choice-screen']

    # Roles by tag, own text as name, hidden elements left out; elements get refs.
    WALK = r'''(() => {
      const roles = {A: 'link', BUTTON: 'button', INPUT: 'textbox', TEXTAREA: 'textbox', SELECT: 'combobox', H1: 'heading',
        H2: 'heading', TR: 'row', TD: 'cell', TH: 'columnheader', TABLE: 'table', LI: 'listitem', UL: 'list', P: 'paragraph',
        NAV: 'navigation', MAIN: 'main', FORM: 'form', OPTION: 'option', SECTION: 'region', IFRAME: 'iframe'};
      const refs = globalThis.__refs = [], out = [];
      const walk = (el, depth) => {
        if (!el.checkVisibility() || el.tagName === 'SCRIPT' || el.tagName === 'STYLE') return;
        let text = '';
        for (const c of el.childNodes) if (c.nodeType === 3) text += c.data;
        const name = el.getAttribute('aria-label') || (el.labels && el.labels[0] && el.labels[0].textContent.trim()) || text.trim();
        const role = el.getAttribute('role') || roles[el.tagName];
        if (role || name) { out.push('  '.repeat(depth) + '- ' + (role || 'generic') + (name ? ' "' + name + '"' : '') + ' [ref=' + refs.length + ']'); refs.push(el); depth++; }
        for (const c of el.children) walk(c, depth);
        if (el.tagName === 'IFRAME') { try { walk(el.contentDocument.body, depth); } catch {} }
      };
      walk(document.body, 0);
      return out.join('\n');
    })()'''

    async def start(self, list_tools=True):
        self.info, self.tools, self.tools_bytes = {'name': 'raw CDP', 'version': ''}, {}, 0
        self.next_id, self.pending, self.waiters, self.session_id = 0, {}, [], None
        to_r, to_w = os.pipe()
        from_r, from_w = os.pipe()
        # Chromium reads fd 3 and writes fd 4; move ours out of their way first.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_r, from_w)]

        def place():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
        self.spawned = time.perf_counter()
        self.proc = await asyncio.create_subprocess_exec(
            CHROMIUM, *self.FLAGS, f'--user-data-dir={self.workdir}/profile', stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.env, start_new_session=True,
            preexec_fn=place, pass_fds=(3, 4))
        for fd in (to_r, from_w, *high):
            os.close(fd)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=1 << 28)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_r, 'rb', 0))
        self.transport, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(to_w, 'wb', 0))
        self.reader = asyncio.create_task(self._read_loop(reader))
        target = (await self.send('Target.createTarget', url='about:blank'))['targetId']
        self.session_id = (await self.send('Target.attachToTarget', targetId=target, flatten=True))['sessionId']
        await asyncio.gather(self.send('Page.enable'), self.send(
            'Emulation.setDeviceMetricsOverride', width=VIEWPORT[0], height=VIEWPORT[1], deviceScaleFactor=1, mobile=False))

    async def _read_loop(self, reader):
        with contextlib.suppress(asyncio.CancelledError, asyncio.IncompleteReadError):
            while True:
                raw = await reader.readuntil(b'\0')
                self.arrived, self.size = time.perf_counter(), len(raw)
                message = json.loads(raw[:-1])
                if 'id' in message:
                    future = self.pending.pop(message['id'], None)
                    if future and not future.done():
                        future.set_result(message)
                else:
                    for waiter in [w for w in self.waiters if w[0] == message['method']]:
                        self.waiters.remove(waiter)
                        if not waiter[1].done():
                            waiter[1].set_result(message)

    def send(self, method, **params):
        self.next_id += 1
        message = {'id': self.next_id, 'method': method, 'params': params}
        if self.session_id:
            message['sessionId'] = self.session_id
        future = self.pending[self.next_id] = asyncio.get_running_loop().create_future()
        self.transport.write(json.dumps(message).encode() + b'\0')

        async def wait():
            answer = await asyncio.wait_for(future, CALL_TIMEOUT)
            if 'error' in answer:
                raise RuntimeError(answer['error'])
            return answer['result']
        return wait()

    def event(self, method):
        future = asyncio.get_running_loop().create_future()
        self.waiters.append((method, future))
        return future

    async def js(self, expression):
        answer = await self.send('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        return answer['result'].get('value')

    async def do(self, op, timeout=CALL_TIMEOUT, **kw):
        began, text, image = time.perf_counter(), '', 0
        if op == 'navigate':
            loaded = self.event('Page.loadEventFired')
            await self.send('Page.navigate', url=kw['url'])
            await asyncio.wait_for(loaded, CALL_TIMEOUT)
        elif op == 'snapshot':
            text = await self.js(self.WALK)
        elif op == 'axtree':
            nodes = (await self.send('Accessibility.getFullAXTree'))['nodes']
            text = f'{len(nodes)} nodes'
        elif op == 'click':
            x, y = await self.js(f'(() => {{ const r = __refs[{kw["handle"]}].getBoundingClientRect();'
                                 ' return [r.x + r.width / 2, r.y + r.height / 2]; })()')
            await asyncio.gather(*[self.send('Input.dispatchMouseEvent', type=t, x=x, y=y, button='left', clickCount=1)
                                   for t in ('mouseMoved', 'mousePressed', 'mouseReleased')])
        elif op == 'type':
            focus = self.js(f'(() => {{ const e = __refs[{kw["handle"]}]; e.focus(); e.select(); }})()')
            await asyncio.gather(focus, self.send('Input.insertText', text=kw['text']))
        elif op == 'evaluate':
            text = json.dumps(await self.js(kw['expression']))
        elif op == 'screenshot':
            image = len(base64.b64decode((await self.send('Page.captureScreenshot', format='png'))['data']))
        elif op == 'tabs':
            text = json.dumps((await self.send('Target.getTargets'))['targetInfos'])
        elif op == 'wait_text':
            await self.js('new Promise(done => { const has = () => document.body.innerText.includes(%s) && (done(1), true);'
                          'if (!has()) { const o = new MutationObserver(() => has() && o.disconnect());'
                          'o.observe(document, {subtree: true, childList: true, characterData: true}); } })' % json.dumps(kw['text']))
        return Result((self.arrived - began) * 1000, text=text, wire_bytes=self.size, image_bytes=image,
                      image_type='image/png' if image else '')

    async def stop(self):
        with contextlib.suppress(Exception):
            self.session_id = None
            await asyncio.wait_for(self.send('Browser.close'), 3)
            await asyncio.wait_for(self.proc.wait(), 3)
        self.reader.cancel()
        await super().stop()


# --------------------------------------------------------------------------------------------
# Dialects: how each family names the abstract operations

class PlaywrightDialect:
    # PlayGuard may answer a plain snapshot with "unchanged"; a depth makes it give the tree.
    snapshot_variants = ({}, {'depth': 60})

    def call(self, op, kw, session):
        def element(tool):
            key = 'ref' if 'ref' in session.tools.get(tool, {}).get('inputSchema', {}).get('properties', {}) else 'target'
            return {'element': 'element', key: kw['handle']}
        return {
            'navigate': lambda: ('browser_navigate', {'url': kw['url']}),
            'snapshot': lambda: ('browser_snapshot', kw),
            'click': lambda: ('browser_click', element('browser_click')),
            'type': lambda: ('browser_type', {**element('browser_type'), 'text': kw['text']}),
            'evaluate': lambda: ('browser_evaluate', {'function': f'() => {kw["expression"]}'}),
            'screenshot': lambda: ('browser_take_screenshot', {'type': 'png'}),
            'tabs': lambda: ('browser_tabs', {'action': 'list'}),
            'wait_text': lambda: ('browser_wait_for', {'text': kw['text']}),
        }[op]()

    def find(self, text, role, name):
        match = re.search(rf'{role} "{re.escape(name)}"[^\n]*?\[ref=(\w+)\]', text)
        return match and match.group(1)


class DevtoolsDialect:
    snapshot_variants = ({},)

    def call(self, op, kw, session):
        page = {'pageId': getattr(session, 'page_id', 1)}
        return {
            'navigate': lambda: ('navigate_page', {**page, 'type': 'url', 'url': kw['url']}),
            'snapshot': lambda: ('take_snapshot', page),
            'click': lambda: ('click', {**page, 'uid': kw['handle']}),
            'type': lambda: ('fill', {**page, 'uid': kw['handle'], 'value': kw['text']}),
            'evaluate': lambda: ('evaluate_script', {**page, 'function': f'() => {kw["expression"]}'}),
            'screenshot': lambda: ('take_screenshot', page),
            'tabs': lambda: ('list_pages', {}),
            'wait_text': lambda: ('wait_for', {**page, 'text': [kw['text']]}),
        }[op]()

    async def after_restart(self, session):
        """As its message tells the client to: page ids change when the browser was restarted."""
        pages = await session.do('tabs')
        for page_id in re.findall(r'(?m)^(\d+): ', pages.text):
            session.page_id = int(page_id)
        return pages

    def find(self, text, role, name):
        match = re.search(rf'uid=(\S+) {role} "{re.escape(name)}"', text)
        return match and match.group(1)


class AgentBrowserDialect:
    snapshot_variants = ({},)

    def call(self, op, kw, session):
        return {
            'navigate': lambda: ('agent_browser_open', {'url': kw['url']}),
            'snapshot': lambda: ('agent_browser_snapshot', {}),
            'click': lambda: ('agent_browser_click', {'selector': '@' + kw['handle']}),
            'type': lambda: ('agent_browser_fill', {'selector': '@' + kw['handle'], 'text': kw['text']}),
            'evaluate': lambda: ('agent_browser_eval', {'script': kw['expression']}),
            'screenshot': lambda: ('agent_browser_screenshot', {}),
            'tabs': lambda: ('agent_browser_tab_list', {}),
            'wait_text': lambda: ('agent_browser_wait_for_text', {'text': kw['text']}),
        }[op]()

    def find(self, text, role, name):
        match = re.search(rf'{role} "{re.escape(name)}" \[[^\]\n]*?ref=(e\d+)', text)
        return match and match.group(1)


class FloorDialect:
    snapshot_variants = ({},)

    def find(self, text, role, name):
        match = re.search(rf'{role} "{re.escape(name)}" \[ref=(\d+)\]', text)
        return match and match.group(1)


# --------------------------------------------------------------------------------------------
# The servers

@dataclasses.dataclass
class Server:
    name: str
    command: list
    dialect: object
    needs: list                                  # files without which it is skipped
    session: type = McpSession
    env: object = lambda session: {}
    goodbye: str = ''                            # tool that ends a daemon
    disk: object = lambda: {}                    # label -> bytes
    is_mcp: bool = True
    note: str = ''


def tree_bytes(path):
    """Apparent size of a file or folder, links not followed."""
    path = pathlib.Path(path)
    if path.is_file():
        return path.stat().st_size
    return sum(os.lstat(os.path.join(d, f)).st_size for d, _, files in os.walk(path) for f in files)


def npm_closure(modules, package):
    """Folders of a package and of the packages it needs at run time, found as Node finds them."""
    modules, found, queue = pathlib.Path(modules), {}, [(pathlib.Path(modules), package)]
    while queue:
        base, name = queue.pop()
        where = next((p / name for p in [base / 'node_modules', *[q / 'node_modules' for q in base.parents], modules]
                      if (p / name / 'package.json').exists()), None)
        if where is None or where in found:
            continue
        meta = json.loads((where / 'package.json').read_text())
        own = tree_bytes(where) - (tree_bytes(where / 'node_modules') if (where / 'node_modules').exists() else 0)
        found[where] = own
        queue += [(where, dep) for dep in {**meta.get('dependencies', {}), **meta.get('optionalDependencies', {})}]
    return found


def registry():
    modules = pathlib.Path(os.environ.get('BENCH_MODULES') or next(
        (p for p in (HERE / 'node_modules', HERE.parent / 'node_modules') if p.exists()), HERE / 'node_modules'))
    node = shutil.which('node') or 'node'
    node_size = tree_bytes(os.path.realpath(node)) if os.path.exists(node) else 0
    browser_flags = ['--headless', '--isolated', '--no-sandbox', '--executable-path', CHROMIUM]
    pw = modules / '@playwright/mcp/cli.js'
    cdt = modules / 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js'
    agent = pathlib.Path(os.environ.get('AGENT_BROWSER') or next(iter(sorted(
        (HERE / 'peers').glob('agent-browser-*/bin/agent-browser-linux-x64'))), modules / 'agent-browser/bin/agent-browser-linux-x64'))

    def npm_disk(root, package):
        return lambda: {'packages': sum(npm_closure(root, package).values()), 'node': node_size}

    def agent_env(session):
        sock = session.workdir / 'sock'      # one daemon for each session
        sock.mkdir(exist_ok=True)
        return {'AGENT_BROWSER_EXECUTABLE_PATH': CHROMIUM, 'AGENT_BROWSER_ARGS': '--no-sandbox',
                'AGENT_BROWSER_SOCKET_DIR': str(sock), 'AGENT_BROWSER_SCREENSHOT_DIR': str(session.workdir)}

    playwright = [node, str(pw), *browser_flags]
    servers = [
        Server('floor', [], FloorDialect(), [CHROMIUM], session=RawCdp, is_mcp=False, note='raw CDP from this process; no MCP server'),
        Server('playwright', playwright, PlaywrightDialect(), [pw], disk=npm_disk(modules, '@playwright/mcp'),
               note='defaults: waits 500 ms after each action (--timeout-settle)'),
        Server('playwright-s0', [*playwright, '--timeout-settle=0'], PlaywrightDialect(), [pw], note='--timeout-settle=0'),
        Server('cdtmcp', [node, str(cdt), '--headless', '--isolated', '--executablePath', CHROMIUM, '--chromeArg=--no-sandbox',
                          f'--viewport={VIEWPORT[0]}x{VIEWPORT[1]}', '--no-usage-statistics', '--no-performance-crux'],
               DevtoolsDialect(), [cdt], disk=npm_disk(modules, 'chrome-devtools-mcp')),
        Server('agent-browser', [str(agent), 'mcp'], AgentBrowserDialect(), [agent], env=agent_env, goodbye='agent_browser_close',
               disk=lambda: {'binary': tree_bytes(agent)}, note='MCP mode: starts its CLI for every call, which asks a daemon'),
        Server('agent-daemon', [str(agent), 'mcp'], AgentBrowserDialect(), [agent], session=AgentDaemonSession, env=agent_env,
               goodbye='agent_browser_close', is_mcp=False, note="agent-browser's daemon over its socket, past its MCP mode"),
    ]
    ours = json.loads(os.environ.get('OURS') or json.dumps([str(HERE.parents[1] / 'target/release/playguard')]))
    # Servers run in folders of their own, so a path must not depend on this one.
    program = os.path.abspath(shutil.which(ours[0]) or ours[0])
    command = [program, *ours[1:]] if os.environ.get('OURS_RAW') == '1' else [program, *ours[1:], *browser_flags]
    servers += [
        Server('ours', command, PlaywrightDialect(), [program], disk=lambda: {'binary': tree_bytes(program)}),
        Server('ours-s0', [*command, '--timeout-settle=0'], PlaywrightDialect(), [program], note='--timeout-settle=0'),
    ]
    return {s.name: s for s in servers}


# --------------------------------------------------------------------------------------------
# Phases. Each takes the bench and returns plain data for the JSON file.

class Bench:
    def __init__(self, servers, base, url, root, options):
        self.servers, self.base, self.url, self.root, self.options = servers, base, url, root, options
        self.versions, self.waited = {}, 0.0

    def page(self, name, query=''):
        return f'{self.url}/{name}.html{query}'

    def log(self, text):
        print(f'[{datetime.datetime.now():%H:%M:%S}] {text}', file=sys.stderr, flush=True)

    async def quiet(self):
        """Wait until the machine is mostly idle, within what --quiet allows for the whole run."""
        while self.options.quiet > self.waited:
            before = [int(x) for x in _read('/proc/stat', 'r').split('\n', 1)[0].split()[1:9]]
            await asyncio.sleep(.2)
            after = [int(x) for x in _read('/proc/stat', 'r').split('\n', 1)[0].split()[1:9]]
            if after[3] + after[4] - before[3] - before[4] >= .6 * (sum(after) - sum(before)):
                return
            self.waited += .2

    def rotated(self, items, r):
        items = list(items)
        k = r % len(items)
        return items[k:] + items[:k]

    @contextlib.asynccontextmanager
    async def session(self, server, list_tools=True):
        session = server.session(server, self.root)
        try:
            await session.start(list_tools=list_tools)
            self.versions.setdefault(server.name, session.info.get('version', ''))
            yield session
        finally:
            await session.stop()

    def table(self, samples):
        """samples: server -> list aligned by round (None where it failed)."""
        base = samples.get(self.base, [])
        return {name: {**(summary(values) or {'n': 0}), 'ratio': paired_ratio(values, base),
                       'samples': [None if v is None else round(v, 3) for v in values]} for name, values in samples.items()}

    # 1. spawn -> initialize -> tools/list answered, and memory then
    async def cold(self):
        servers = [s for s in self.servers if s.is_mcp]
        ready, listed, idle, tools = ({s.name: [] for s in servers} for _ in range(4))
        for r in range(self.options.cold):
            for server in self.rotated(servers, r):
                await self.quiet()
                async with self.session(server) as s:
                    ready[server.name].append(s.initialized_ms)
                    listed[server.name].append(s.listed_ms)
                    if r == 0:
                        tools[server.name] = {'count': len(s.tools), 'bytes': s.tools_bytes}
                        await asyncio.sleep(.5)
                        idle[server.name] = await asyncio.to_thread(memory, s.tag)
                await asyncio.sleep(.1)
        return {'initialize': self.table(ready), 'tools_list': self.table(listed), 'idle_memory': idle, 'tools': tools}

    # 2. spawn -> first navigation done, browser launch included
    async def first(self):
        times = {s.name: [] for s in self.servers if s.name != 'agent-daemon'}
        for r in range(self.options.first):
            for server in self.rotated([s for s in self.servers if s.name in times], r):
                await self.quiet()
                async with self.session(server, list_tools=False) as s:
                    result = await s.do('navigate', url=self.page('form'))
                    times[server.name].append((time.perf_counter() - s.spawned) * 1000 if result.ok else None)
                    if not result.ok:
                        self.log(f'first navigation of {server.name} failed: {result.text[:200]}')
                await asyncio.sleep(.3)
        return self.table(times)

    # 3 and 4. latency of single calls, round robin; then memory and CPU time of the same servers
    async def latency(self):
        n, out, errors, fresh, cpu, usage = self.options.calls, {}, {}, {}, {}, {}
        measured = {'calls': out, 'cpu': cpu, 'errors': errors, 'checks': fresh, 'usage': usage}
        async with contextlib.AsyncExitStack() as stack:
            sessions = [await stack.enter_async_context(self.session(s)) for s in self.servers]

            async def rounds(op, count, call, before=None, check=None, only=None, gap=.05):
                samples = {s.server.name: [] for s in sessions if only is None or s.server.name in only}
                good, spent = ({name: 0 for name in samples} for _ in range(2))
                used = {name: [0.0, 0.0] for name in samples}
                pids = {s.server.name: await asyncio.to_thread(split_pids, s.tag) for s in sessions}
                for r in range(count):
                    await self.quiet()
                    for s in self.rotated([x for x in sessions if x.server.name in samples], r):
                        if spent[s.server.name] > self.options.budget:      # too slow for more rounds
                            samples[s.server.name].append(None)
                            continue
                        began = time.perf_counter()
                        try:
                            context = await before(s, r) if before else None
                            await asyncio.sleep(gap)
                            used_before = [cpu_ms(p) for p in pids[s.server.name]]
                            result = await call(s, r, context)
                            if op.startswith('navigate'):       # may have changed processes
                                pids[s.server.name] = await asyncio.to_thread(split_pids, s.tag)
                            value = result.ms if result.ok else None
                            for i in range(2):
                                used[s.server.name][i] += max(0, cpu_ms(pids[s.server.name][i]) - used_before[i])
                            if not result.ok:
                                errors.setdefault(op, {}).setdefault(s.server.name, result.text[:300])
                            elif check:
                                checked = check(s, r, context, result)
                                good[s.server.name] += bool(await checked if asyncio.iscoroutine(checked) else checked)
                        except Exception as e:      # one server's failure must not end the others' run
                            value = None
                            errors.setdefault(op, {}).setdefault(s.server.name, f'{type(e).__name__}: {e}'[:300])
                        samples[s.server.name].append(value)
                        spent[s.server.name] += time.perf_counter() - began
                out[op] = self.table(samples)
                for name in samples:
                    calls = sum(v is not None for v in samples[name])
                    if calls:
                        cpu.setdefault(op, {})[name] = {'server': used[name][0] / calls, 'browser': used[name][1] / calls}
                if check:
                    fresh[op] = {name: f'{good[name]}/{sum(v is not None for v in samples[name])}' for name in samples}
                self.checkpoint('latency', measured)
                self.log(f'{op}: ' + ', '.join(f'{k} {v["median"]:.1f}' if v['n'] else f'{k} failed' for k, v in out[op].items()))

            async def goto(name):
                for s in sessions:
                    result = await s.do('navigate', url=self.page(name))
                    if not result.ok:
                        self.log(f'{s.server.name} cannot open {name}: {result.text[:200]}')
                await asyncio.sleep(1)

            await goto('form')
            cpu_before = {s.server.name: cpu_ms(split_pids(s.tag)[0]) for s in sessions}
            await rounds('navigate', n, lambda s, r, c: s.do('navigate', url=self.page('form', f'?r={r}')), gap=.25)
            await rounds('navigate_nested', max(3, n // 3), lambda s, r, c: s.do('navigate', url=self.page('nested', f'?r={r}')), gap=1)
            await goto('form')
            await rounds('tabs', n, lambda s, r, c: s.do('tabs'), check=lambda s, r, c, x: '/form.html' in x.text)
            await rounds('evaluate', n, lambda s, r, c: s.do('evaluate', expression=f'document.title + {r}'),
                         check=lambda s, r, c, x: f'Bench form{r}' in x.text)
            await rounds('screenshot', n, lambda s, r, c: s.do('screenshot'),
                         check=lambda s, r, c, x: x.image_bytes > 1000 or '.png' in x.text)
            await rounds('wait_text', n, lambda s, r, c: s.do('wait_text', text='Sign up'))

            handles = {}
            for s in sessions:
                try:
                    text = (await s.do('snapshot')).text
                    handles[s.server.name] = (await s.find('button', 'Count', text), await s.find('textbox', 'Full name', text))
                except Exception as e:
                    errors.setdefault('click', {})[s.server.name] = str(e)[:300]
            able = set(handles)
            await rounds('click', n, lambda s, r, c: s.do('click', handle=handles[s.server.name][0]), only=able)
            await rounds('type', n, lambda s, r, c: s.do('type', handle=handles[s.server.name][1], text=f'Name {r}'), only=able)
            fresh['click'], fresh['type'] = {}, {}
            for s in [x for x in sessions if x.server.name in able]:    # did it do what it said?
                with contextlib.suppress(Exception):
                    fresh['click'][s.server.name] = f'{int(await s.number("window.clicks"))}/{n}'
                    typed = await s.do('evaluate', expression='document.getElementById("name").value')
                    fresh['type'][s.server.name] = f'Name {n - 1}' in typed.text

            # A text that appears late: from its appearance in the page to the answer.
            async def plan(s, r):
                began = time.perf_counter()
                await s.do('evaluate', expression=f'later(1300, "Arrived {r}")')
                await asyncio.sleep(max(0, 1.0 - (time.perf_counter() - began)))

            async def lag(s, r, _):
                result = await s.do('wait_text', text=f'Arrived {r}')
                answered = time.time() * 1000
                if result.ok:
                    result.ms = answered - await s.number('window.arrivedAt')
                return result
            await rounds('wait_text_lag', max(3, n // 3), lag, before=plan)

            # Snapshots, each after one small change, so that none can come from a cache.
            async def bump(s, r):
                return int(await s.number('bump()'))
            for name in ('form', 'table', 'nested', 'article', 'frames'):
                await goto(name)
                await rounds(f'snapshot_{name}', n if name in ('form', 'table', 'nested') else max(3, n // 3),
                             lambda s, r, c: s.do('snapshot'), before=bump,
                             check=lambda s, r, c, x: re.search(rf'Tick {c}\b', x.text) is not None)
                if any(s.server.name == 'floor' for s in sessions) and name in ('form', 'table', 'nested'):
                    await rounds(f'axtree_{name}', max(3, n // 3), lambda s, r, c: s.do('axtree'), only={'floor'})
            for s in sessions:
                usage[s.server.name] = {**await asyncio.to_thread(memory, s.tag),
                                        'cpu_seconds': (cpu_ms(split_pids(s.tag)[0]) - cpu_before[s.server.name]) / 1000}
        return measured

    # 5. sizes of answers
    async def sizes(self):
        out = {}
        for server in self.servers:
            if server.name == 'agent-daemon':
                continue
            async with self.session(server) as s:
                mine = out[server.name] = {}

                def put(key, result, **more):
                    mine[key] = {'text_bytes': result.text_bytes, 'tokens': result.tokens, 'wire_bytes': result.wire_bytes,
                                 'image_bytes': result.image_bytes, 'ok': result.ok, **more}
                for name, sentinels in SENTINELS.items():
                    put(f'navigate_{name}', await s.do('navigate', url=self.page(name)))
                    await asyncio.sleep(1)
                    snap = await s.do('snapshot')
                    put(f'snapshot_{name}', snap, coverage=f'{sum(x in snap.text for x in sentinels)}/{len(sentinels)}',
                        missing=[x for x in sentinels if x not in snap.text])
                    if name in ('form', 'nested'):
                        again = [await s.do('snapshot') for _ in range(5)]
                        put(f'repeat5_{name}', Result(0, text='x' * sum(x.text_bytes for x in again),
                                                      wire_bytes=sum(x.wire_bytes for x in again)))
                        tick = int(await s.number('bump()'))
                        changed = await s.do('snapshot')
                        put(f'changed_{name}', changed, shows_change=f'Tick {tick}' in changed.text)
                    if name == 'form':
                        try:
                            text = (await s.do('snapshot')).text
                            count, box = await s.find('button', 'Count', text), await s.find('textbox', 'Full name', text)
                            put('click', await s.do('click', handle=count))
                            put('type', await s.do('type', handle=box, text='Ada'))
                        except Exception as e:
                            mine['click'] = {'error': str(e)[:300]}
                        put('evaluate', await s.do('evaluate', expression='document.title'))
                        put('tabs', await s.do('tabs'))
                        put('wait_text', await s.do('wait_text', text='Sign up'))
                        shot = await s.do('screenshot')
                        put('screenshot', shot, type=shot.image_type)
            self.log(f'sizes of {server.name} done')
        return out

    # 6. what an installation takes on disk (without the browser)
    async def disk(self):
        return {s.name: {**s.disk(), 'total': sum(s.disk().values())} for s in self.servers if s.disk()}

    # 7. several clients at once, each with a server of its own
    async def script(self, s):
        failed = []

        async def step(op, want='', **kw):
            result = await s.do(op, **kw)
            if not result.ok or want not in result.text:
                failed.append(f'{op}: {result.text[:120]}')
            return result
        await step('navigate', url=self.page('form'))
        snap = (await step('snapshot')).text
        name, count = await s.find('textbox', 'Full name', snap), await s.find('button', 'Count', snap)
        await step('type', handle=name, text='Ada Lovelace')
        await step('click', handle=count)
        await step('evaluate', 'Clicked 1', expression='document.getElementById("status").textContent')
        await step('snapshot')
        await step('screenshot')
        await step('navigate', url=self.page('table'))
        await step('snapshot')
        await step('evaluate', '2000', expression='document.querySelectorAll("tbody tr").length')
        await step('navigate', url=self.page('spa'))
        snap = (await step('snapshot')).text
        box, add = await s.find('textbox', 'New task', snap), await s.find('button', 'Add task', snap)
        await step('type', handle=box, text='Buy milk')
        await step('click', handle=add)
        await step('wait_text', text='Saved 6')
        await step('snapshot')
        await step('tabs')
        await step('navigate', url=self.page('article'))
        await step('snapshot')
        await step('evaluate', 'Bench article', expression='document.title')
        return failed

    async def throughput(self):
        clients, total, script, failed = 4, {}, {}, {}
        servers = [s for s in self.servers if s.name != 'agent-daemon']
        for r in range(self.options.throughput):
            for server in self.rotated(servers, r):
                await self.quiet()
                sessions = [server.session(server, self.root) for _ in range(clients)]
                began = time.perf_counter()
                try:
                    await asyncio.gather(*[s.start() for s in sessions])
                    await asyncio.gather(*[s.do('navigate', url=self.page('form')) for s in sessions])
                    warm = time.perf_counter()
                    results = await asyncio.gather(*[self.script(s) for s in sessions], return_exceptions=True)
                    done = time.perf_counter()
                    bad = [str(x)[:200] for x in results if isinstance(x, BaseException)] + \
                          [y for x in results if isinstance(x, list) for y in x]
                    failed.setdefault(server.name, []).extend(bad)
                    ended = not any(isinstance(x, BaseException) for x in results)
                    total.setdefault(server.name, []).append((done - began) * 1000 if ended else None)
                    script.setdefault(server.name, []).append((done - warm) * 1000 if ended else None)
                finally:
                    await asyncio.gather(*[s.stop() for s in sessions], return_exceptions=True)
                await asyncio.sleep(.5)
            self.log(f'throughput round {r + 1}: ' + ', '.join(f'{k} {v[-1] and v[-1] / 1000:.2f}s' if v[-1] else f'{k} failed' for k, v in script.items()))
        return {'clients': clients, 'from_spawn': self.table(total), 'script': self.table(script),
                'failures': {k: v[:5] for k, v in failed.items() if v}}

    # 8. the browser is killed in mid-session; what do the next calls do?
    async def recovery(self):
        out = {}
        for r in range(self.options.recovery):
            for server in self.servers:
                if server.session is RawCdp or server.name == 'agent-daemon':
                    continue
                for first in ('navigate', 'snapshot'):
                    async with self.session(server) as s:
                        await s.do('navigate', url=self.page('form'))
                        await s.do('snapshot')
                        pid = await asyncio.to_thread(browser_main, s.tag)
                        run = {'first_call': first, 'killed': pid is not None, 'calls': []}
                        out.setdefault(server.name, []).append(run)
                        if pid is None:
                            continue
                        os.kill(pid, signal.SIGKILL)
                        await asyncio.sleep(.3)
                        began = time.perf_counter()
                        for op in [first] + ['navigate'] * 4:
                            result = await s.do(op, timeout=40, **({'url': self.page('form')} if op == 'navigate' else {}))
                            run['calls'].append({'op': op, 'ok': result.ok, 'ms': round(result.ms), 'text': result.text[:160]})
                            if op == 'navigate' and result.ok:
                                break
                            if hasattr(server.dialect, 'after_restart'):
                                pages = await server.dialect.after_restart(s)
                                run['calls'].append({'op': 'tabs', 'ok': pages.ok, 'ms': round(pages.ms), 'text': pages.text[:160]})
                        run['recovered_ms'] = round((time.perf_counter() - began) * 1000) if result.ok else None
                        run['works'] = result.ok and 'Sign up' in (await s.do(
                            'evaluate', expression='document.querySelector("h1").textContent', timeout=20)).text
        self.log('recovery done')
        return out


# --------------------------------------------------------------------------------------------
# Report

def ms(value):
    return '–' if value is None else f'{value:.1f}' if value < 100 else f'{value:,.0f}'


def ratio(value):
    return '' if value is None else f' ({value:.2f}×)'


def grid(head, rows):
    return '\n'.join(['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head)] +
                     ['| ' + ' | '.join(str(c) for c in row) + ' |' for row in rows])


def report(data):
    names, base, out = data['servers'], data['base'], []
    phases = data['phases']

    def times(rows, p95=True):
        body = []
        for label, table in rows:
            row = [label]
            for n in names:
                cell = table.get(n)
                if not cell or not cell['n']:
                    row.append('–' if cell is None else 'failed')
                    continue
                text = ms(cell['median']) + (f' / {ms(cell["p95"])}' if p95 else '')
                row.append(text + (ratio(cell['ratio']) if n != base else ''))
            body.append(row)
        return grid(['', *names], body)

    meta = data['machine']
    out.append(f'# MCP browser servers, side by side\n\n{data["date"]}, {meta["cpu"]}, {meta["cores"]} cores, {meta["browser"]}, '
               f'Node {meta["node"]}.\n\nMilliseconds are median / 95th percentile; in brackets the median of same-round ratios to '
               f'{base} (below 1 is faster). `floor` is raw CDP with the bare minimum and no MCP server.\n')
    out.append(grid(['phase', 'at', 'repetitions', 'took, s', 'load average before, after'], [
        [p, r['at'], r['repeats'], r['seconds'], '{}, {}'.format(*r['load'])] for p, r in data.get('runs', {}).items()]) + '\n')
    out.append('\n'.join(f'- **{n}** {data["versions"].get(n, "")} {data["notes"].get(n, "")}'.rstrip() for n in names) + '\n')
    if 'cold' in phases or 'first' in phases:
        rows = []
        if 'cold' in phases:
            rows = [('spawn → initialize', phases['cold']['initialize']), ('spawn → tools/list', phases['cold']['tools_list'])]
        if 'first' in phases:
            rows.append(('spawn → first navigate', phases['first']))
        out.append('## Start (ms)\n\n' + times(rows) + '\n')
    if 'latency' in phases:
        calls = phases['latency']['calls']
        out.append('## Single calls (ms)\n\n' + times(list(calls.items())) + '\n\n`snapshot_*` come each after one small change. '
                   '`wait_text`: the text is there already; `wait_text_lag`: from the text\'s appearance to the answer. '
                   '`axtree_*`: Accessibility.getFullAXTree alone, raw.\n')
        cpu = phases['latency'].get('cpu', {})
        rows = [[op, *[('– / ' if n == 'floor' else f'{ms(cpu[op][n]["server"])} / ') + ms(cpu[op][n]['browser']) if n in cpu[op] else '–'
                       for n in names]] for op in cpu]
        out.append('CPU time per call, ms, server / browser (10 ms ticks, so a mean; disturbed by load far less than the time is):\n\n'
                   + grid(['', *names], rows) + '\n')
        checks = phases['latency']['checks']
        rows = [[op, *[str(checks[op].get(n, '–')) for n in names]] for op in checks]
        out.append('Did the answer show the effect (calls that did):\n\n' + grid(['', *names], rows) + '\n')
        if phases['latency']['errors']:
            out.append('Errors (first of each):\n\n' + '\n'.join(
                f'- {op}, {n}: `{text[:200]}`' for op, by in phases['latency']['errors'].items() for n, text in by.items()) + '\n')
        usage, idle = phases['latency']['usage'], phases.get('cold', {}).get('idle_memory', {})
        rows = [[label, *[f'{usage[n][key]:.1f}' if n in usage and n != 'floor' else '–' for n in names]] for label, key in (
            ('server RSS, MiB', 'server_rss'), ('server PSS, MiB', 'server_pss'), ('CPU s of the server for all calls', 'cpu_seconds'))]
        rows += [['server processes', *[usage[n]['server_processes'] if n in usage else '–' for n in names]],
                 ['browser PSS, MiB', *[f'{usage[n]["browser_pss"]:.0f}' if n in usage else '–' for n in names]]]
        if idle:
            rows.insert(0, ['server PSS idle, before the browser, MiB', *[f'{idle[n]["server_pss"]:.1f}' if n in idle else '–' for n in names]])
        out.append('## Memory and CPU, browser not counted\n\n' + grid(['', *names], rows) + '\n')
    if 'sizes' in phases:
        sizes = phases['sizes']
        keys = list(dict.fromkeys(k for n in names for k in sizes.get(n, {})))
        rows = []
        if 'cold' in phases:
            tools = phases['cold']['tools']
            rows.append(['tools/list: tools, wire bytes', *[f'{tools[n]["count"]}, {tools[n]["bytes"]:,}' if n in tools else '–' for n in names]])
        for k in keys:
            row = [k]
            for n in names:
                cell = sizes.get(n, {}).get(k)
                if not cell or 'text_bytes' not in cell:
                    row.append('–' if not cell else 'failed')
                    continue
                text = f'{cell["text_bytes"]:,} ({cell["tokens"]:,})'
                if cell.get('image_bytes'):
                    text += f' + {cell["image_bytes"] / 1024:.0f} KiB {cell.get("type", "")}'
                if 'coverage' in cell:
                    text += f' [{cell["coverage"]}]'
                if cell.get('shows_change') is False:
                    text += ' **change not shown**'
                row.append(text + ('' if cell['ok'] else ' error'))
            rows.append(row)
        out.append('## Answers: bytes of text (tokens = bytes/4)\n\n' + grid(['', *names], rows) + '\n\nIn square brackets how many of the '
                   'page\'s marker texts the snapshot holds: sizes compare only at equal coverage. `repeat5`: five more snapshots '
                   'without a change, summed; `changed`: the snapshot after one label changed.\n')
        rows = [[k, *[f'{sizes[n][k]["wire_bytes"]:,}' if 'wire_bytes' in sizes.get(n, {}).get(k, {}) else '–' for n in names]]
                for k in ('snapshot_form', 'snapshot_table', 'snapshot_nested', 'click') if k in keys]
        out.append('Whole response lines, bytes:\n\n' + grid(['', *names], rows) + '\n')
    if 'disk' in phases:
        disk = phases['disk']
        rows = [[label, *[f'{disk[n][label] / 2**20:.1f}' if label in disk.get(n, {}) else '–' for n in names]]
                for label in ('packages', 'node', 'binary', 'total')]
        out.append('## On disk, MiB (without the browser)\n\n' + grid(['', *names], rows) + '\n')
    if 'throughput' in phases:
        t = phases['throughput']
        out.append(f'## {t["clients"]} clients at once, 20 steps each (ms, wall)\n\n' + times(
            [('script alone', t['script']), ('from spawn', t['from_spawn'])], p95=False) + '\n')
        if t['failures']:
            out.append('Failed steps:\n\n' + '\n'.join(f'- {n}: `{x[:200]}`' for n, v in t['failures'].items() for x in v[:2]) + '\n')
    if 'recovery' in phases:
        rows = []
        for n, runs in phases['recovery'].items():
            for first in ('navigate', 'snapshot'):
                mine = [r for r in runs if r['first_call'] == first and r['calls']]
                if mine:
                    done = [r['recovered_ms'] for r in mine if r.get('recovered_ms') is not None]
                    seen = mine[0]['calls'][0]
                    rows.append([n, first, 'yes' if seen['ok'] else 'no', seen['ms'],
                                 ' → '.join(f'{c["op"]} {"ok" if c["ok"] else "error"}' for c in mine[0]['calls']),
                                 f'{statistics.median(done):,.0f}' if done else 'never',
                                 f'{sum(bool(r.get("works")) for r in mine)}/{len(mine)}',
                                 seen['text'].replace('\n', ' ').replace('|', '\\|')[:90]])
        out.append('## After `kill -9` of the browser\n\n' + grid(
            ['server', 'first call', 'ok at once', 'its ms', 'calls until a page is open', 'ms until then (median)', 'works', 'first answer'], rows) + '\n')
    return '\n'.join(out)


# --------------------------------------------------------------------------------------------

PHASES = ['cold', 'first', 'latency', 'sizes', 'disk', 'throughput', 'recovery']


async def run(options, servers, base):
    for sig in (signal.SIGTERM, signal.SIGINT):     # an interrupted run ends its servers too
        asyncio.get_running_loop().add_signal_handler(sig, asyncio.current_task().cancel)

    def text_of(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip()
        except (OSError, subprocess.TimeoutExpired):
            return ''
    cpu = re.search(r'model name\s*: (.*)', _read('/proc/cpuinfo', 'r'))
    data = {'date': f'{datetime.datetime.now():%Y-%m-%d %H:%M}', 'servers': [s.name for s in servers], 'base': base,
            'notes': {s.name: s.note for s in servers}, 'commands': {s.name: s.command for s in servers},
            'options': {k: v for k, v in vars(options).items() if isinstance(v, (int, str, bool, list))},
            'machine': {'cpu': cpu.group(1) if cpu else platform.machine(), 'cores': os.cpu_count(), 'node': text_of('node', '--version'),
                        'browser': text_of(CHROMIUM, '--version').split(' built')[0]},
            'phases': {}, 'runs': {}}
    if options.keep and pathlib.Path(options.json).exists():
        old = json.loads(pathlib.Path(options.json).read_text())
        data['phases'] = {k: v for k, v in old['phases'].items() if k not in options.phases}
        data['runs'] = {k: v for k, v in old.get('runs', {}).items() if k not in options.phases}
        data['servers'] = [*old['servers'], *[n for n in data['servers'] if n not in old['servers']]]
        for key in ('notes', 'commands', 'versions'):
            data[key] = {**old[key], **data.get(key, {})}
    root = tempfile.mkdtemp(prefix='mcp-bench-')
    try:
        with page_server() as url:
            bench = Bench(servers, base, url, root, options)

            def checkpoint(phase, value):       # what is measured is kept, whatever comes after
                data['phases'][phase] = value
                data['versions'] = {**data.get('versions', {}), **bench.versions}
                write(options, data)
            bench.checkpoint = checkpoint
            for phase in options.phases:
                bench.log(f'phase {phase}')
                began, load, waited = time.perf_counter(), os.getloadavg()[0], bench.waited
                repeats = {'latency': 'calls'}.get(phase, phase)
                value = await getattr(bench, phase)()
                data['runs'][phase] = {'at': f'{datetime.datetime.now():%Y-%m-%d %H:%M}', 'seconds': round(time.perf_counter() - began),
                                       'load': [round(load, 1), round(os.getloadavg()[0], 1)],
                                       'repeats': getattr(options, repeats),
                                       'waited_for_quiet_s': round(bench.waited - waited)}
                bench.log(f'phase {phase} took {time.perf_counter() - began:.0f} s')
                checkpoint(phase, value)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def write(options, data):
    for path, text in ((options.json, json.dumps(data, indent=1)), (options.md, report(data))):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--servers', help='comma-separated names (default: all that are installed); --list names them')
    parser.add_argument('--phases', default=','.join(PHASES), help='comma-separated: ' + ','.join(PHASES))
    parser.add_argument('--base', default='playwright', help='server that ratios are to')
    parser.add_argument('--quick', action='store_true', help='few repetitions (--scale .15): for trying, not for numbers')
    parser.add_argument('--scale', type=float, default=1, help='repetitions, as a share of the usual: 30 calls, 15 cold starts, ...')
    parser.add_argument('--budget', type=float, default=60, metavar='S',
                        help='seconds that one server may spend on one operation of the latency phase (60)')
    parser.add_argument('--quiet', type=float, default=0, metavar='S',
                        help='wait up to S seconds in all for the machine to be idle before rounds')
    parser.add_argument('--verbose', action='store_true', help='log calls that fail or take over 5 s')
    parser.add_argument('--json', default=str(HERE / 'results/bench.json'))
    parser.add_argument('--md', default=str(HERE / 'results/bench.md'))
    parser.add_argument('--keep', action='store_true', help='keep the phases of the JSON file that are not run this time')
    parser.add_argument('--report', metavar='JSON', help='only write the Markdown again from a JSON file')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--serve', action='store_true', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve_pages()
    if options.report:
        data = json.loads(pathlib.Path(options.report).read_text())
        pathlib.Path(options.md).write_text(report(data))
        return None
    scale = .15 if options.quick else options.scale
    options.sizes = options.disk = 1
    options.calls, options.cold, options.first, options.throughput, options.recovery = (
        max(1, round(usual * scale)) for usual in (30, 15, 10, 3, 3))
    options.phases = options.phases.split(',')
    known = registry()
    missing = {n: [str(f) for f in s.needs if not pathlib.Path(f).exists()] for n, s in known.items()}
    if options.list:
        for name, server in known.items():
            print(f'{name:15} {"missing " + missing[name][0] if missing[name] else "ok":40} {server.note}')
        return None
    wanted = options.servers.split(',') if options.servers else [n for n in known if not missing[n]]
    for name in wanted:
        if name not in known:
            sys.exit(f'no server {name!r}; there are {", ".join(known)}')
        if missing[name]:
            sys.exit(f'{name}: missing {missing[name][0]}')
    base = options.base if options.base in wanted else wanted[0]
    try:
        asyncio.run(run(options, [known[n] for n in wanted], base))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit('interrupted')
    print(f'{options.md}\n{options.json}')
    return None


if __name__ == '__main__':
    sys.exit(main())
