# Opens flame pages in a browser and works them as people do. Arguments: the browser, a folder of pages (made_flame_pages, and
# real.html), the report of the capture that real.html is made of.
import json, sys, time
import xml.dom.minidom
from chromium import Chromium
from flame_data import FlameData

browser_path, folder, report_path = sys.argv[1:]
wrong = []
kBounded = "the drawn boxes are bounded by what can be seen"


def check(condition, what):
    if not condition:
        wrong.append(what)


def open_page(browser, name, fragment=""):
    browser.call("Page.navigate", url="about:blank")
    browser.wait_event("Page.loadEventFired")
    browser.open(f"file://{folder}/{name}.html{fragment}")
    for _ in range(400):
        if browser.js("window.heaptally !== undefined"):
            return settle(browser)
        time.sleep(0.02)
    wrong.append(f"{name}: does not open: {browser.js('document.body.innerText')[:300]}")


def settle(browser):
    """Until what was asked for is drawn."""
    browser.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def text(browser, id):
    return browser.js(f"document.getElementById('{id}').textContent")


def boxes(browser):
    """Every frame's name, x, width and row."""
    return browser.js("""heaptally.rows.flatMap((row, y) => row.map(box => ({ kind: box.kind, x: box.x, width: box.width, y, count: box.count,
        total: box.total, name: heaptally.view.func(box.id) < 0 ? 'all' : heaptally.data.strings[heaptally.data.functions.whole[heaptally.view.func(box.id)]] })))""")


def click_box(browser, box):
    frame = browser.js("(({left, top}) => [left, top])(heaptally.painter.canvas.getBoundingClientRect())")
    browser.click(frame[0] + box["x"] + box["width"] / 2, frame[1] + 20 * box["y"] + 10)
    settle(browser)


def quiet(browser, name):
    for complaint in browser.complaints():
        wrong.append(f"{name}: {complaint}")


def total_of_svg(browser, name):
    """The picture is XML, and says the total that the page says."""
    picture = xml.dom.minidom.parseString(browser.js("heaptally.svg()").encode("utf-8", "surrogatepass"))
    titles = [title.firstChild.data if title.firstChild else "" for title in picture.getElementsByTagName("title")]
    said = text(browser, "path").replace("\u00a0", " ")
    check(titles and titles[0].startswith("all, total ") and titles[0].split(", total ")[1].split(",")[0] in said, f"{name}: the SVG says {titles[:1]}, the page {said}")
    return titles


def folded_sum(browser):
    return sum(int(line.rsplit(" ", 1)[1]) for line in browser.js("heaptally.folded()").splitlines())


def totals_are_the_reports(browser):
    """Values and intervals, of each measure, of the whole and of every site."""
    report = json.load(open(report_path))["profiles"][0]
    members = {"live": "live_bytes", "peak": "peak_live_bytes", "churn": "allocated_bytes", "calls": "allocations", "temporary": "temporary"}
    for by, member in members.items():
        open_page(browser, "real", f"#by={by}")
        whole = browser.js("heaptally.view.weights.whole")
        wanted = report["totals"][member]
        if by == "peak" and wanted["v"] < report["totals"]["live_bytes"]["v"]:
            continue  # the page shows a process's peak as no lower than what is live, as report does
        same = abs(whole["v"] - wanted["v"]) <= 0.51 and (wanted["hi"] is None or abs(whole["hi"] - wanted["hi"]) <= 1.01) and abs(whole["lo"] - wanted["lo"]) <= 1.01
        check(same, f"{by}: the page has {whole}, the report {wanted}")
        check(abs(folded_sum(browser) - wanted["v"]) <= 0.51, f"{by}: folded text has {folded_sum(browser)}, the report {wanted['v']}")
        leaves = browser.js("""(() => { const out = new Map(), { view } = heaptally, { leaves } = view.weights.data;
            for (let leaf = 0; leaf < leaves.count; ++leaf) { if (!(view.weights.leaf[leaf] > 0)) continue;
              const sum = { proven: 0, inferred: 0, variance: 0, samples: 0, floor: Infinity }; view.weights.addLeaf(sum, leaf);
              const made = view.weights.estimate(sum); out.set(leaf, [made.lo, made.v, made.hi]); } return [...out.values()]; })()""")
        sites = [site[member] for site in report["sites"] if site["class"] == "malloc" and site[member]["v"]]
        matched = sum(any(abs(lo - site["lo"]) <= 1.01 and abs(v - site["v"]) <= 0.51 and (site["hi"] is None or abs(hi - site["hi"]) <= 1.01) for lo, v, hi in leaves) for site in sites)
        check(matched >= 0.8 * len(sites), f"{by}: only {matched} of {len(sites)} sites have the report's interval")
        total_of_svg(browser, "real " + by)
    check(browser.js("heaptally.painter.drawn.hatched") > 0, "nothing is hatched in a sampled capture")
    quiet(browser, "real")


def zoom_search_and_back(browser):
    open_page(browser, "deep")
    start = browser.js("location.hash")
    all_boxes = boxes(browser)
    flat = next(box for box in all_boxes if box["name"] == "flat")
    click_box(browser, flat)
    zoomed = boxes(browser)
    check([box["name"] for box in zoomed] == ["flat"] and abs(zoomed[0]["width"] - browser.js("heaptally.scroller.clientWidth")) < 0.01, f"a click on flat shows {zoomed}")
    check("700" in text(browser, "path") and text(browser, "sites-title") == "1 site under flat", f"zoomed: {text(browser, 'path')}, {text(browser, 'sites-title')}")
    fragment = browser.js("location.hash")
    browser.js("history.back()")
    time.sleep(0.2), settle(browser)
    check(boxes(browser) == all_boxes and browser.js("location.hash") == start, "back does not lead back")
    browser.js("history.forward()")
    time.sleep(0.2), settle(browser)
    check(boxes(browser) == zoomed, "forward does not lead forward")
    browser.key("Escape")
    settle(browser)
    check(boxes(browser) == all_boxes, "Esc does not show all")
    open_page(browser, "deep", fragment)
    check(boxes(browser) == zoomed, "the fragment does not restore the zoom")
    browser.key("Escape")
    browser.key("/", "/")
    for letter in "flat":
        browser.key(letter, letter)
    settle(browser)
    found = text(browser, "found").replace("\u00a0", " ")
    check(found == "1 function, 1 box: 700 B, 40 %", f"searching flat: {found}")
    open_page(browser, "deep", browser.js("location.hash"))
    check(text(browser, "found") != "" and browser.js("document.getElementById('search').value") == "flat", "the fragment does not restore the search")
    browser.js("heaptally.go({ search: 'nowhere to be found' })")
    check(text(browser, "found") == "nothing found", "a search without a result")
    for hostile in ("#by=nonsense&zoom=-1&view=x&site=1e9", "#zoom=99999999", "#view=up&zoom=3.99999", "#%%%", "#zoom=NaN&image=17"):
        open_page(browser, "deep", hostile)
        check(boxes(browser)[0]["name"] == "all", f"{hostile} shows {boxes(browser)[:2]}")
    quiet(browser, "deep")


def keys(browser):
    open_page(browser, "deep")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        browser.key(key)
    spoken = text(browser, "spoken")
    check(spoken.startswith("flat, ") and "700 B, 40 % of all" in spoken, f"arrows lead to {spoken!r}")
    browser.key("Enter")
    settle(browser)
    check(len(boxes(browser)) == 1, "Enter does not zoom")
    browser.key("Backspace")
    settle(browser)
    check(boxes(browser)[0]["name"] == "main", f"Backspace leads to {boxes(browser)[0]}")
    browser.key("3", "3")
    check("by=churn" in browser.js("location.hash"), "3 does not choose churn")
    browser.key("i", "i")
    settle(browser)
    check("view=up" in browser.js("location.hash") and boxes(browser)[1]["name"] == "leaf", f"i shows {boxes(browser)[:2]}")
    quiet(browser, "keys")


def deep_stacks_fold(browser):
    for view in ("down", "up"):
        open_page(browser, "deep", f"#view={view}")
        rows = browser.js("heaptally.rows.length")
        folds = [box for box in boxes(browser) if box["kind"] == "fold"]
        check(rows < 100 and any(fold["count"] > 1500 for fold in folds), f"{view}: a stack of 2,000 is {rows} rows, folds {folds[:3]}")
        click_box(browser, folds[0])
        check(browser.js("heaptally.rows.length") > 2000, f"{view}: a click on a fold does not show all rows")
        check(browser.js("heaptally.painter.drawn.boxes") < 4000, f"{view}: {kBounded}")
    quiet(browser, "folds")


def large_stays_bounded(browser):
    data = FlameData(f"{folder}/large.html")
    check(len(data.parent) > 100_000, f"only {len(data.parent)} frames: not a test")
    for fragment in ("", "#view=up", "#search=number_3", "#by=calls&zoom=1"):
        open_page(browser, "large", fragment)
        drawn, width, height = browser.js("[heaptally.painter.drawn.boxes, heaptally.scroller.clientWidth, heaptally.scroller.clientHeight]")
        rows = min(height // 20 + 1, browser.js("heaptally.rows.length"))
        check(0 < drawn <= width * rows, f"{fragment}: {drawn} boxes in {width} x {rows} rows: {kBounded}")
        for box in boxes(browser):
            check(box["width"] >= 1 - 1e-9 and box["x"] >= -1e-6 and box["x"] + box["width"] <= width + 1e-6, f"{fragment}: {box} is outside, or too narrow")
        check(browser.js("heaptally.painter.drawn.widest") <= 0, f"{fragment}: a name leaves its box by {browser.js('heaptally.painter.drawn.widest')} pixels")
        if fragment == "":
            check(folded_sum(browser) == data.total("live"), "large: folded text does not add up")
    open_page(browser, "pruned")
    check(folded_sum(browser) == data.total("live"), "what was pruned is missing in the sum")
    check("[small parts]" in browser.js("heaptally.folded()") and "drawn together" in text(browser, "facts"), "pruned parts are not said")
    quiet(browser, "large")


def orders_agree(browser):
    """Bottom-up and top-down show the same memory: in sum, and for a function that calls nothing."""
    open_page(browser, "large", "#by=churn")
    down = browser.js("heaptally.view.total(0)")
    browser.js("heaptally.go({ view: 'up' })")
    rows = browser.js("heaptally.view.children(0).reduce((sum, id) => sum + heaptally.view.total(id), 0)")
    check(rows == down == browser.js("heaptally.view.total(0)"), f"bottom-up holds {rows}, top-down {down}")
    key = browser.js("heaptally.view.key(heaptally.view.children(heaptally.view.children(0)[1])[1])")
    open_page(browser, "large", f"#by=churn&view=up&zoom={key}")
    check(browser.js("heaptally.view.key(heaptally.zoom)") == key and len(text(browser, "path").split("›")) == 3, "the fragment does not restore a zoom of bottom-up")
    open_page(browser, "large")
    browser.js("document.querySelectorAll('#sites tr')[2].click()")
    settle(browser)
    name = browser.js("document.querySelector('#sites tr.chosen button').textContent")
    check(any(name == box["name"] for box in boxes(browser)) or browser.js("heaptally.zoom") == 0, "a click on a site does not go there")
    check(browser.js("document.querySelectorAll('#sites tr.chosen').length") == 1, "the chosen site is not marked")
    order = browser.js("""(document.querySelector('th.name button').click(), [...document.querySelectorAll('#sites td.name button')].map(one => one.textContent))""")
    check(order == sorted(order) and len(order) > 10, "the table is not ordered by name")
    quiet(browser, "orders")


def hostile_names_are_text(browser):
    data = FlameData(f"{folder}/hostile.html")
    for fragment in ("", "#view=up", "#search=script"):
        open_page(browser, "hostile", fragment)
        browser.js("document.getElementById('canvas').dispatchEvent(new MouseEvent('mousemove', { clientX: 20, clientY: document.getElementById('canvas').getBoundingClientRect().top + 50 }))")
        check(browser.js("document.title") == "made - heaptally", "a name was run")
        check(browser.js("document.querySelectorAll('img, body script:not(:last-of-type)').length") == 0, "a name became an element")
        check(browser.js("heaptally.painter.drawn.widest") <= 0, "a hostile name leaves its box")
        titles = total_of_svg(browser, "hostile")
        check(fragment != "" or any("</script><script>" in title for title in titles), "the SVG has lost a name")
    lines = browser.js("heaptally.folded()").splitlines()
    check(len(lines) == 16 and all(line.count(";") == 1 for line in lines), f"{len(lines)} folded lines of 16 stacks")
    check(folded_sum(browser) == data.total("live"), "hostile: folded text does not add up")
    browser.js("heaptally.print()")
    check(browser.js("document.querySelectorAll('#paper img, #paper script').length") == 0, "a name became an element on paper")
    quiet(browser, "hostile")


def processes_are_chosen(browser):
    open_page(browser, "tree")
    keys = browser.js("heaptally.choices.map(choice => choice.key)")
    check(keys == ["all", "program:/bin/a", "0", "1", "2"], f"choices {keys}")
    totals = {key: browser.js(f"(heaptally.go({{ image: {json.dumps(key)} }}), heaptally.view.total(0))") for key in keys}
    check(abs(totals["all"] - sum(totals[key] for key in "012")) < 1e-6, f"{totals} do not add up")
    check(abs(totals["program:/bin/a"] - 2 * min(totals[key] for key in "012")) < 1e-6, f"{totals}: the program's images")
    open_page(browser, "tree", "#image=program%3A%2Fbin%2Fa")
    check(browser.js("document.getElementById('image').value") == "program:/bin/a", "the fragment does not restore the choice")
    open_page(browser, "empty")
    check("zero" in text(browser, "nothing"), "an empty profile says nothing")
    quiet(browser, "tree")


def contrast(a, b):
    """WCAG 2.2, of two colours "#rrggbb"."""
    def luminance(colour):
        parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def text_can_be_read(browser):
    for dark in (False, True):
        browser.look(1280, 800, dark)
        open_page(browser, "large")
        check(browser.js("heaptally.colours.dark") == dark, "the page does not follow the system's light and dark")
        fixed = browser.js("heaptally.colours.fixed")
        modules = browser.js("""Array.from({ length: 40 }, (_, i) => { heaptally.colours.hues.set('m' + i, i * 9); return [-1, 0, 1].map(shade =>
            [false, true].map(muted => heaptally.colours.ofModule('m' + i, shade, muted))); }).flat(2)""")
        grey = browser.js("[-1, 0, 1].map(shade => heaptally.colours.ofModule('/usr/lib/libc.so.6', shade, false))")
        for box in modules + grey + [fixed["hit"], fixed["rest"]]:
            # hatching darkens a light box, or lightens a dark one, by a seventh
            check(contrast(fixed["text"], box) >= 5.5, f"dark {dark}: {fixed['text']} on {box}: {contrast(fixed['text'], box):.2f}")
        check(contrast(fixed["dimText"], fixed["dim"]) >= 5, f"dark {dark}: dimmed text {contrast(fixed['dimText'], fixed['dim']):.2f}")
        pairs = browser.js("""(() => { const style = getComputedStyle(document.documentElement); return [['--ink', '--ground'], ['--ink', '--panel'], ['--ink', '--chosen'],
            ['--quiet', '--ground'], ['--quiet', '--panel'], ['--quiet', '--chosen'], ['--accent', '--ground']].map(pair => pair.map(one => style.getPropertyValue(one).trim())); })()""")
        for ink, ground in pairs:
            check(contrast(ink, ground) >= 4.5, f"dark {dark}: {ink} on {ground}: {contrast(ink, ground):.2f}")
    browser.look(1280, 800)


def printed(browser):
    open_page(browser, "sampled")
    pages = browser.call("Page.printToPDF", landscape=True, printBackground=True)["data"]
    check(len(pages) > 10_000, "the print is empty")
    browser.js("heaptally.print()")
    check(browser.js("document.querySelectorAll('#paper svg svg > path').length") > 0, "nothing is hatched on paper")
    check(browser.js("document.querySelectorAll('#paper > svg').length") >= 1 and browser.js("document.querySelectorAll('#paper tbody, #paper tr').length") > 5,
          "the graph or the sites are not printed")
    quiet(browser, "print")


with Chromium(browser_path) as browser:
    browser.look(1280, 800)
    for part in (totals_are_the_reports, zoom_search_and_back, keys, deep_stacks_fold, large_stays_bounded, orders_agree, hostile_names_are_text,
                 processes_are_chosen, text_can_be_read, printed):
        try:
            part(browser)
        except Exception as error:
            wrong.append(f"{part.__name__}: {type(error).__name__} {error}")
for one in wrong[:30]:
    print("FAILED:", one)
sys.exit(bool(wrong))
