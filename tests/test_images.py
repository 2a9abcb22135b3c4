"""Tests of images: detected by content, limited before decoding, described once, found by the
description.
"""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner
from describing import Model, failing, image_of
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin
from sandbox import GitSandbox
from serving import chat_answer

import ragit
from ragit import lfs
from ragit.cli import cli
from ragit.describe import estimate, image, scaled
from ragit.describe.image import Facts, Limits, sniff
from ragit.errors import NotDescribed, RemoteFailed
from ragit.repository.repository import Ragit

LIMITS = Limits(10 << 20, 50_000_000, 1024)


def picture(kind: str, width: int = 64, height: int = 48, mode: str = "RGB", **more: Any) -> bytes:
    sink = io.BytesIO()
    Image.radial_gradient("L").resize((width, height)).convert(mode).save(sink, kind, **more)
    return sink.getvalue()


def opened(repo: GitSandbox, model: Model, **more: object) -> Ragit:
    more = {name.replace("__", "."): value for name, value in more.items()}
    return ragit.open(repo.path, flags={**model.image_settings, **more})


def indexed(repo: GitSandbox, model: Model, *revisions: str, **more: object) -> Any:
    with opened(repo, model, **more) as index:
        return index.index(*revisions)


def found(repo: GitSandbox, model: Model, query: str = "login form", **more: Any) -> list[str]:
    with opened(repo, model) as index:
        return [hit.path for hit in index.search(query, **more).hits]


# -- detection
# --------------------------------------------------------------------------------------

KINDS: dict[str, Callable[[], bytes]] = {
    "image/png": lambda: picture("PNG"),
    "image/jpeg": lambda: picture("JPEG", exif=Image.Exif().tobytes(), progressive=True),
    "image/gif": lambda: picture("GIF"),
    "image/webp": lambda: picture("WEBP"),
    "image/bmp": lambda: picture("BMP"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_sniff_reads_type_and_size(kind: str) -> None:
    assert sniff(KINDS[kind]()) == Facts(kind, 64, 48)


def test_sniff_reads_every_form_of_webp() -> None:
    lossless = picture("WEBP", lossless=True)
    exif = Image.Exif()
    exif[0x010E] = "a form"
    extended = picture("WEBP", exif=exif.tobytes())
    assert sniff(lossless) == sniff(extended) == Facts("image/webp", 64, 48)
    assert {lossless[12:16], extended[12:16], picture("WEBP")[12:16]} == {b"VP8L", b"VP8X", b"VP8 "}


@pytest.mark.parametrize(
    "data", [b"", b"hello\n", b"<svg/>", b"GIF", b"BM is no image", b"%PDF-1.4", b"RIFF....WAVE"]
)
def test_sniff_of_other_data_is_none(data: bytes) -> None:
    assert sniff(data) is None


@given(
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 400),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 255))),
)
def test_sniff_never_raises(kind: str, length: int, changes: list[tuple[int, int]]) -> None:
    data = bytearray(KINDS[kind]()[:length])
    for at, value in changes:
        if at < len(data):
            data[at] = value
    facts = sniff(bytes(data))
    assert facts is None or (0 <= facts.width <= 1 << 32 and 0 <= facts.height <= 1 << 32)


@pytest.mark.parametrize("kind", KINDS)
def test_large_image_is_scaled_to_png_or_jpeg(kind: str) -> None:
    suffix = kind.partition("/")[2].upper()
    shown = image.picture(picture(suffix, 2000, 1000), LIMITS)
    assert shown.media_type == ("image/jpeg" if kind == "image/jpeg" else "image/png")
    assert sniff(shown.data) == Facts(shown.media_type, 1024, 512)


def test_small_image_is_not_enlarged() -> None:
    assert sniff(image.picture(picture("PNG", 20, 10), LIMITS).data) == Facts("image/png", 20, 10)


def test_animation_is_sent_as_its_first_frame() -> None:
    frames = [Image.new("RGB", (32, 32), color) for color in ("red", "blue", "green")]
    sink = io.BytesIO()
    frames[0].save(sink, "GIF", save_all=True, append_images=frames[1:])
    with Image.open(io.BytesIO(image.picture(sink.getvalue(), LIMITS).data)) as shown:
        assert getattr(shown, "n_frames", 1) == 1
        assert shown.convert("RGB").getpixel((5, 5)) == (255, 0, 0)


def test_image_metadata_is_removed() -> None:
    exif = Image.Exif()
    exif[0x010E] = "the secret cabin"
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", "the secret cabin")
    photo, drawing = picture("JPEG", exif=exif.tobytes()), picture("PNG", pnginfo=notes)
    for data in (photo, drawing):
        assert b"secret cabin" in data
        assert b"secret cabin" not in image.picture(data, LIMITS).data


def test_photo_is_rotated_by_its_orientation() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    shown = image.picture(picture("JPEG", 64, 32, exif=exif.tobytes()), LIMITS)
    assert sniff(shown.data) == Facts("image/jpeg", 32, 64)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16", "CMYK"])
def test_every_colour_mode_is_read(mode: str) -> None:
    kind = "JPEG" if mode == "CMYK" else "PNG"
    sink = io.BytesIO()
    Image.new(mode, (40, 30)).save(sink, kind)
    assert sniff(image.picture(sink.getvalue(), LIMITS).data) is not None


def bomb(width: int, height: int) -> bytes:
    """Return a small PNG whose header claims a huge size, with data of that size."""

    def part(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(20_000_000), 9)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bomb(60_000, 60_000), image.TOO_MANY_PIXELS),
        (bomb(2**31 - 1, 2**31 - 1), image.TOO_MANY_PIXELS),
        (b"\x89PNG\r\n\x1a\n" + bytes(10), image.DAMAGED),
        (bomb(0, 10), image.DAMAGED),
        (picture("PNG", 300, 300)[:200], image.DAMAGED),
        (picture("JPEG", 300, 300)[:-100][:400], image.DAMAGED),
        (picture("BMP", 3000, 3000), ""),
        (b"GIF89a" + struct.pack("<HH", 300, 300) + bytes(50), image.DAMAGED),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", lfs.POINTER),
        (b"just words", image.NO_IMAGE),
        (b"", image.NO_IMAGE),
    ],
)
def test_unfit_image_has_a_reason(data: bytes, reason: str) -> None:
    if not reason:
        with pytest.raises(image.Unfit, match=image.TOO_LARGE):
            image.picture(data, LIMITS)
        return
    with pytest.raises(image.Unfit) as caught:
        image.picture(data, LIMITS)
    assert str(caught.value) == reason


def test_frame_larger_than_its_header_is_refused() -> None:
    """Use an animation with a frame that is larger than its header declares."""
    head = b"GIF89a" + struct.pack("<HHBBB", 8, 8, 0xF0, 0, 0) + bytes(6)
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 60_000, 60_000, 0) + b"\x02\x02\x44\x01\x00\x3b"
    with pytest.raises(image.Unfit, match=image.DAMAGED):
        image.picture(head + frame, LIMITS)


def test_common_image_is_sent_unscaled_without_pillow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(*_: object) -> tuple[str, bytes]:
        raise scaled.Unscaled(damaged=False)

    monkeypatch.setattr(image, "scaled", none)
    data = picture("PNG", 300, 20)
    assert image.picture(data, LIMITS) == ("image/png", data)
    with pytest.raises(image.NeedsPillow, match="3000 x 20 pixels.*ragit\\[images\\]"):
        image.picture(picture("PNG", 3000, 20), LIMITS)
    with pytest.raises(image.NeedsPillow, match="ragit\\[images\\]"):
        image.picture(picture("GIF"), LIMITS)


def test_missing_pillow_is_not_reported_as_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    start = "import sys; sys.modules['PIL'] = None; " + scaled._START
    monkeypatch.setattr(scaled, "_START", start)
    with pytest.raises(scaled.Unscaled) as caught:
        scaled.scaled(picture("PNG"), 100, 1000)
    assert not caught.value.damaged


@pytest.mark.parametrize(
    "says", ["b'image/png\\n' + bytes(1 << 20)", "b'image/png\\n'", "b'text/plain\\nx'", "b''"]
)
def test_invalid_output_of_the_scaling_process_is_damage(
    monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    monkeypatch.setattr(scaled, "_START", f"import sys; sys.stdout.buffer.write({says})")
    monkeypatch.setattr(scaled, "LARGEST", 1000)
    with pytest.raises(scaled.Unscaled) as caught:
        scaled.scaled(picture("PNG"), 100, 1000)
    assert caught.value.damaged


@pytest.mark.parametrize(
    ("size", "tokens"),
    [((512, 512), 255), ((1024, 1024), 765), ((2048, 4096), 1105), ((1, 1), 255)],
)
def test_image_tokens_match_published_figures(size: tuple[int, int], tokens: int) -> None:
    assert estimate.image_tokens(*size) == tokens


# -- in a repository
# ---------------------------------------------------------------------------------------------------


@cache
def scaled_once(data: bytes, side: int, pixels: int) -> tuple[str, bytes]:
    """Scale an image. Each start of Pillow takes 70 ms, and these tests index the same images."""
    return scaled.scaled(data, side, pixels)


@pytest.fixture
def quick_scaling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "scaled", scaled_once)


@pytest.fixture
def pictures(repo: GitSandbox, quick_scaling: None) -> GitSandbox:
    repo.write("shots/one.png", picture("PNG"))
    repo.write("shots/two.png", picture("JPEG", 80, 60))  # a JPEG under the name of a PNG
    repo.write(
        "logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"><title>The login logo</title></svg>\n'
    )
    repo.write("a.py", "def login():\n    return 1\n")
    repo.commit()
    return repo


def test_disabled_images_are_counted_and_not_sent(pictures: GitSandbox, model: Model) -> None:
    with opened(pictures, model, imageDescription__enabled=False) as index:
        report = index.index()
        assert report.skipped == {"image": 2}
        assert index.status().skipped == {"image": 2}
    assert report.described is None
    assert not model.asked


def test_status_counts_images_without_naming_the_setting(pictures: GitSandbox) -> None:
    shown = CliRunner().invoke(cli, ["-C", str(pictures.path), "status"])
    assert "skipped 2: image 2" in shown.output
    assert "imageDescription" not in shown.output


def test_image_has_one_chunk_with_its_description(pictures: GitSandbox, model: Model) -> None:
    report = indexed(pictures, model)
    assert report.described.images == len(model.asked) == 2
    assert not report.skipped
    with opened(pictures, model) as index:
        hit = next(
            hit
            for hit in index.search("screenshot", mode="keyword").hits
            if hit.path == "shots/one.png"
        )
        assert (hit.start_line, hit.end_line, hit.language, hit.kind) == (1, 1, "image", "image")
        assert hit.text == "A screenshot of a login form, 64 by 48."
        assert index.search("a picture of a form", mode="vector").hits[0].path.startswith("shots/")
        only = index.search("login", languages=("image",)).hits
        assert {hit.path for hit in only} == {"shots/one.png", "shots/two.png"}
        assert "logo.svg" in [hit.path for hit in index.search("login").hits]
    assert {image_of(payload)[0] for payload in model.asked} == {"image/png", "image/jpeg"}


def test_images_are_described_once_for_all_branches_and_names(
    pictures: GitSandbox, model: Model
) -> None:
    indexed(pictures, model)
    pictures.branch("topic")
    pictures.git("mv", "shots", "screens")
    pictures.write("copy.gif", picture("PNG"))
    pictures.commit()
    indexed(pictures, model, "main", "topic")
    assert len(model.asked) == 2
    assert {"copy.gif", "screens/two.png"} <= set(
        found(pictures, model, ref="topic") + found(pictures, model, "copy")
    )


def test_image_descriptions_survive_disabling_gc_and_rebuild(
    pictures: GitSandbox, model: Model
) -> None:
    indexed(pictures, model)
    before = found(pictures, model)
    with ragit.open(pictures.path) as index:
        index.index()
        index.gc()
    indexed(pictures, model)
    with opened(pictures, model) as index:
        index.index(rebuild=True)
    assert len(model.asked) == 2
    assert found(pictures, model) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [("prompt", "Auf Deutsch."), ("model", "other"), ("maxTokens", 9), ("maxDimension", 32)],
)
def test_changed_prompt_settings_describe_images_again(
    pictures: GitSandbox, model: Model, name: str, value: object
) -> None:
    indexed(pictures, model)
    indexed(pictures, model, **{f"imageDescription__{name}": value})
    assert len(model.asked) == 4
    indexed(pictures, model)
    assert len(model.asked) == 4


def test_changed_size_limit_does_not_describe_again(pictures: GitSandbox, model: Model) -> None:
    indexed(pictures, model)
    report = indexed(pictures, model, imageDescription__maxImageBytes=9 << 20)
    assert report.indexed == 2
    assert len(model.asked) == 2


def test_search_sends_no_request_and_counts_undescribed_images(
    pictures: GitSandbox, model: Model
) -> None:
    with opened(pictures, model) as index:
        answer = index.search("login")
        assert (answer.complete, answer.completeness.undescribed) == (True, 2)
        assert index.search("login").completeness.undescribed == 2
        assert index.check().fresh
        assert index.status().skipped == {"image not described yet": 2}
    assert not model.asked
    indexed(pictures, model)
    with opened(pictures, model) as index:
        answer = index.search("login form")
        assert answer.completeness.undescribed == 0
        assert "shots/one.png" in [hit.path for hit in answer.hits]


def test_failed_image_is_retried_by_the_next_run(pictures: GitSandbox, model: Model) -> None:
    model.faults[""] = lambda payload: (
        failing(400) if image_of(payload)[0] == "image/png" else chat_answer("A login form.")
    )
    report = indexed(pictures, model)
    assert (report.described.images, report.described.failed) == (1, 1)
    assert found(pictures, model, "form", mode="keyword") == ["shots/two.png"]
    pictures.write("other.txt", "something else\n")
    pictures.commit()
    assert found(pictures, model, "form", mode="keyword") == ["shots/two.png"]
    model.faults.clear()
    model.asked.clear()
    report = indexed(pictures, model)
    assert (report.described.images, report.described.failed) == (1, 0)
    assert len(model.asked) == 1
    assert set(found(pictures, model, "form", mode="keyword")) == {"shots/one.png", "shots/two.png"}


@pytest.mark.parametrize("order", [["main", "topic"], ["topic", "main"]])
def test_incremental_index_equals_a_rebuilt_one(
    pictures: GitSandbox, model: Model, order: list[str]
) -> None:
    pictures.branch("topic")
    pictures.write("shots/three.webp", picture("WEBP", 90, 90))
    pictures.commit()
    with opened(pictures, model) as index:
        index.search("login", ref="main")
        index.search("login", ref="topic")
    for ref in order:
        indexed(pictures, model, ref)
        found(pictures, model, ref="main")
    assert len(model.asked) == 3
    grown = [found(pictures, model, ref=ref) for ref in order]
    with opened(pictures, model) as index:
        index.index(*order, rebuild=True)
    assert [found(pictures, model, ref=ref) for ref in order] == grown


def test_unfit_images_are_skipped_with_a_reason(pictures: GitSandbox, model: Model) -> None:
    pictures.write("bomb.png", bomb(60_000, 60_000))
    pictures.write("cut.png", picture("PNG", 300, 300)[:200])
    pictures.write("big.bmp", picture("BMP", 2100, 2000))
    pictures.write("words.gif", "no image at all\n")
    pictures.write("lfs.png", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    pictures.commit()
    reasons = {image.TOO_MANY_PIXELS, image.DAMAGED, image.TOO_LARGE, image.NO_IMAGE, lfs.POINTER}
    report = indexed(pictures, model)
    assert report.skipped == dict.fromkeys(reasons, 1)
    assert (report.described.images, report.described.failed) == (2, 0)
    assert indexed(pictures, model).indexed == 0
    assert len(model.asked) == 2


def test_binary_attribute_does_not_exclude_images(pictures: GitSandbox, model: Model) -> None:
    pictures.write(".gitattributes", "*.png binary\nshots/two.png -ragit\n")
    pictures.commit()
    report = indexed(pictures, model)
    assert report.described.images == 1
    assert report.skipped == {"ragit=false": 1}


def test_large_uncommitted_image_is_described(pictures: GitSandbox, model: Model) -> None:
    pictures.write("new.bmp", picture("BMP", 800, 800))
    with opened(pictures, model) as index:
        assert index.index(scope="worktree").described.images == 3  # type: ignore[union-attr]


def test_dry_run_estimates_the_cost_of_images(pictures: GitSandbox, model: Model) -> None:
    with opened(pictures, model, pricing__teller="1, 2") as index:
        report = index.index(dry_run=True)
        assert report.described is not None
        assert report.described.images == 2
        assert report.described.tokens_in > 2 * 255
        assert report.described.cost == pytest.approx((report.described.tokens_in + 2 * 240) / 1e6)
        assert not model.asked
        index.index()
        again = index.index(dry_run=True)
        assert again.described is not None
        assert again.described.images == 0


def test_image_descriptions_are_not_described_as_code(pictures: GitSandbox, model: Model) -> None:
    report = indexed(
        pictures,
        model,
        **{name.replace(".", "__"): value for name, value in model.settings.items()},
    )
    assert (report.described.images, report.described.chunks) == (2, 2)
    assert not any("screenshot" in shown for shown in model.shown())


def test_images_are_found_without_vectors(pictures: GitSandbox, model: Model) -> None:
    report = indexed(pictures, model, embedding__provider="none")
    assert report.described.images == 2
    with opened(pictures, model, embedding__provider="none") as index:
        assert index.search("screenshot").hits


def test_workers_index_described_images(pictures: GitSandbox, model: Model) -> None:
    indexed(pictures, model)
    for number in range(140):
        pictures.write(f"many/{number}.py", f"def thing_{number}():\n    pass\n")
    pictures.commit()
    with opened(pictures, model, index__maxChunkLines=50, index__workers=2) as index:
        assert "shots/one.png" in [hit.path for hit in index.search("login form screenshot").hits]
    assert len(model.asked) == 2


# -- ragit describe
# ----------------------------------------------------------------------------------------------------


def run(repo: GitSandbox, model: Model, *args: str) -> Any:
    flags = [
        part
        for name, value in model.image_settings.items()
        for part in ("-c", f"{name}={str(value).lower()}")
    ]
    return CliRunner().invoke(
        cli, ["-C", str(repo.path), *flags, "describe", *args], standalone_mode=False
    )


def test_describe_prints_the_stored_description(pictures: GitSandbox, model: Model) -> None:
    asked = run(pictures, model, "shots/one.png")
    assert (asked.return_value, "--now" in asked.output) == (1, True)
    assert not model.asked
    now = run(pictures, model, "--now", "shots/one.png")
    assert (now.return_value, now.output) == (0, "A screenshot of a login form, 64 by 48.\n")
    assert run(pictures, model, "shots/one.png").output == now.output
    assert run(pictures, model, "--now", "shots/one.png").output == now.output
    assert len(model.asked) == 1
    as_json = json.loads(run(pictures, model, "--json", "shots/one.png").output)
    assert as_json["description"] == now.output.strip()
    assert as_json["path"] == "shots/one.png"


def test_image_described_now_is_found_at_once(pictures: GitSandbox, model: Model) -> None:
    assert found(pictures, model, mode="keyword") != []
    run(pictures, model, "--now", "shots/one.png")
    assert found(pictures, model, "screenshot", mode="keyword") == ["shots/one.png"]
    assert len(model.asked) == 1


def test_describe_accepts_a_revision_and_a_relative_path(
    pictures: GitSandbox, model: Model
) -> None:
    pictures.write("shots/one.png", picture("PNG", 10, 10))
    pictures.commit()
    old = run(pictures, model, "--ref", "HEAD~1", "--now", "shots/one.png")
    assert "64 by 48" in old.output
    with ragit.open(pictures.path / "shots", flags=model.image_settings) as index:
        assert not index.describe("one.png").text
        assert index.describe("one.png", ref="HEAD~1").text
        assert index.describe("../shots/./one.png", now=True).path == "shots/one.png"


def test_describe_reports_errors(pictures: GitSandbox, model: Model) -> None:
    pictures.write("words.png", "words\n")
    with opened(pictures, model) as index:
        with pytest.raises(NotDescribed, match="there is no nothing.png"):
            index.describe("nothing.png")
        with pytest.raises(NotDescribed, match="not png"):
            index.describe("words.png", now=True)
        index.index(scope="worktree")
        asked = len(model.asked)
        for name, why in (
            ("words.png", "not png"),
            ("a.py", "descriptions of code are turned off"),
        ):
            with pytest.raises(NotDescribed, match=why):
                index.describe(name)
        pictures.write("shots/new.png", picture("PNG", 11, 11))
        assert index.describe("shots/new.png").text == ""
        assert len(model.asked) == asked
        model.faults[""] = failing(400)
        with pytest.raises(RemoteFailed, match="no"):
            index.describe("shots/new.png", now=True)
    with ragit.open(pictures.path) as index, pytest.raises(NotDescribed, match="turned off"):
        index.describe("shots/one.png", now=True)
    assert len(model.asked) == asked + 1
