"""What a released package holds."""

import zipfile

import pytest
from hatchling.builders.wheel import WheelBuilder

from signalbox.api.web import DIST


def test_the_wheel_carries_the_page_its_licences_and_no_sources_of_it(tmp_path, pytestconfig):
    if not (DIST / "index.html").is_file():
        pytest.skip("the page was not built: make web")
    (wheel,) = WheelBuilder(str(pytestconfig.rootpath)).build(directory=str(tmp_path), versions=["standard"])
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("index.html", "index.html.gz", "theme.js", "manifest.webmanifest"):
        assert f"signalbox/web/dist/{name}" in names
    assert any(name.startswith("signalbox/web/dist/assets/index-") and name.endswith(".js.gz") for name in names)
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert not [name for name in names if "node_modules" in name or name.endswith((".tsx", ".test.ts"))]
