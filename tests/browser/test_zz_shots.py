from tests.browser.steps import run_to_the_end, block
from tests.browser.chromium import DESKTOP, PHONE
def test_shots(tabs, student):
    for name, v in (("desk", DESKTOP), ("phone", PHONE)):
        page = tabs.open(storage_state=student, viewport=v)
        page.goto("/lessons/checkpoints/")
        if name == "desk":
            run_to_the_end(page, "resume")
        page.wait_for_timeout(1500)
        page.locator(".gap-hint summary").first.click()
        page.locator(".lesson-header").screenshot(path=f"/tmp/shot-{name}-1.png")
        block(page, "resume").screenshot(path=f"/tmp/shot-{name}-2.png")
        page.locator("#key-words").screenshot(path=f"/tmp/shot-{name}-3.png")
