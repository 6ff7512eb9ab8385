"""What an operator may write, and what is said when it is wrong."""

import hashlib
import inspect
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import ValidationError

from signalbox.client import Client
from signalbox.errors import ConfigurationError
from signalbox.settings import Settings, describe_settings, load_settings


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path):
    """An empty working directory and none of our variables."""
    for name in list(os.environ):
        if name.upper().startswith("SIGNALBOX_") or name == "GROQ_API_KEY":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def refusal(**overrides) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(**overrides)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None  # a chained ValidationError could show input
    return str(caught.value)


def test_nothing_set_gives_a_working_offline_server(tmp_path):
    settings = load_settings()
    assert settings.data_dir == tmp_path / ".data"
    assert settings.database_url is None
    assert settings.redis_url is None
    assert settings.provider() == "offline"
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.users() == {}


def test_overrides_win_over_the_environment_and_that_over_the_env_file(monkeypatch):
    Path(".env").write_text("\ufeffSIGNALBOX_LEASE_S=1\nSIGNALBOX_GRACE_S=1\nSIGNALBOX_SEND_TIMEOUT_S=1\nOTHER=x\n")
    monkeypatch.setenv("SIGNALBOX_GRACE_S", "2")
    monkeypatch.setenv("SIGNALBOX_SEND_TIMEOUT_S", "2")
    settings = load_settings(send_timeout_s=3, lease_s=None)
    assert (settings.lease_s, settings.grace_s, settings.send_timeout_s) == (1, 2, 3)


def test_an_empty_variable_is_an_unset_one(monkeypatch):
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", "")
    monkeypatch.setenv("SIGNALBOX_HEARTBEAT_S", "")
    assert load_settings().database_url is None
    assert load_settings().heartbeat_s == 15


def test_unknown_names_are_refused_with_the_nearest_known_one_wherever_they_stand(monkeypatch):
    monkeypatch.setenv("SIGNALBOX_HEARBEAT_S", "5")
    monkeypatch.setenv("SIGNALBOX_GROQ_API_KEY", "gsk-private")
    Path(".env").write_text("SIGNALBOX_REDIS=redis://:private@h\n")
    text = refusal(prot=1)
    assert "SIGNALBOX_HEARBEAT_S: there is no such setting. Did you mean SIGNALBOX_HEARTBEAT_S?" in text
    assert "SIGNALBOX_GROQ_API_KEY: there is no such setting. Did you mean GROQ_API_KEY?" in text
    assert "SIGNALBOX_REDIS in .env: there is no such setting. Did you mean SIGNALBOX_REDIS_URL?" in text
    assert "Did you mean SIGNALBOX_PORT?" in text
    assert "private" not in text


def test_what_kubernetes_sets_for_a_service_of_our_name_is_no_setting(monkeypatch):
    monkeypatch.setenv("SIGNALBOX_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("SIGNALBOX_SERVICE_PORT_HTTP", "80")
    monkeypatch.setenv("SIGNALBOX_PORT_80_TCP_ADDR", "10.0.0.1")
    monkeypatch.setenv("SIGNALBOX_PORT", "tcp://10.0.0.1:80")
    assert load_settings().port == 8000


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("heartbeat_s", 0.05, 20),
        ("buffer_ttl_s", 1, 604_800),
        ("buffer_events", 100, 1_000_000),
        ("send_timeout_s", 0.05, 600),
        ("grace_s", 0, 600),
        ("lease_s", 0.5, 3_600),
        ("port", 0, 65_535),
    ],
)
def test_bounds_are_inclusive_and_named_when_broken(monkeypatch, name, low, high):
    variable = f"SIGNALBOX_{name.upper()}"
    for value in (low, high):
        monkeypatch.setenv(variable, str(value))
        assert getattr(load_settings(), name) == value
    for value in (low - 1, high + 1, "nan", "many"):
        monkeypatch.setenv(variable, str(value))
        text = refusal()
        assert f"{variable}: " in text
        assert f"Set a number from {low} to {high} (default " in text


def test_a_heartbeat_of_zero_is_refused_with_the_reason():
    assert "0 would switch heartbeats off" in refusal(heartbeat_s=0)


def test_a_heartbeat_that_would_be_too_late_for_the_clients_is_refused_with_the_reason():
    assert "clients take 45 seconds without a byte for a dead connection" in refusal(heartbeat_s=21)
    patience = inspect.signature(Client).parameters["idle_s"].default
    assert load_settings(heartbeat_s=20).heartbeat_s * 2 < patience, "one heartbeat may come twice as late as usual"


def test_keys_that_can_be_guessed_are_counted_and_not_named():
    keys = "abc:ann, ,0123456789abcdef:bob,with:colon:eve,"
    assert load_settings(api_keys=keys).short_keys() == [1, 4]
    assert load_settings().short_keys() == []


def test_all_problems_are_reported_at_once(monkeypatch):
    monkeypatch.setenv("SIGNALBOX_LOG_LEVEL", "loud")
    monkeypatch.setenv("SIGNALBOX_LOG_JSON", "perhaps")
    monkeypatch.setenv("SIGNALBOX_TYPO", "1")
    text = refusal()
    assert len(text.splitlines()) == 4
    assert "SIGNALBOX_LOG_LEVEL: input should be 'debug', 'info', 'warning' or 'error'" in text
    assert "SIGNALBOX_LOG_JSON: " in text


@pytest.mark.parametrize(
    "variable",
    ["SIGNALBOX_DATABASE_URL", "SIGNALBOX_REDIS_URL", "SIGNALBOX_API_KEYS", "SIGNALBOX_SECRET_KEY"],
)
def test_a_refused_secret_is_never_shown(monkeypatch, variable):
    monkeypatch.setenv(variable, "hush")
    text = refusal()
    assert variable in text
    assert "hush" not in text
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert "hush" not in str(caught.value)


def test_secrets_are_hidden_when_settings_are_printed():
    settings = load_settings(
        database_url="postgresql://u:hush@h/d",
        redis_url="redis://:hush@h",
        groq_api_key="hush",
        api_keys="hush:ann",
        secret_key="hush" * 8,
    )
    assert "hush" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


def test_settings_cannot_be_changed():
    with pytest.raises(ValidationError):
        load_settings().port = 1


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("database_url", "postgres://u:p@h/d", "postgresql://u:p@h/d"),
        ("database_url", "postgresql+psycopg://h/d", "postgresql://h/d"),
        ("redis_url", "valkey://h:1/2", "redis://h:1/2"),
        ("redis_url", "unix:///run/redis.sock?db=0", "unix:///run/redis.sock?db=0"),
    ],
)
def test_urls_are_kept_in_the_one_form_our_clients_know(name, given, kept):
    assert getattr(load_settings(**{name: given}), name).get_secret_value() == kept


def test_api_keys_become_digests_of_keys_that_may_hold_colons():
    users = load_settings(api_keys=" k1:ann , a:b:bob,").users()
    assert users == {hashlib.sha256(key).hexdigest(): user for key, user in ((b"k1", "ann"), (b"a:b", "bob"))}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("k1:ann,hush", "entry 2 of 2 is not of the form key:user"),
        ("hush:", "entry 1 of 1 is not of the form key:user"),
        (":hush", "entry 1 of 1 is not of the form key:user"),
        ("hush:ann,hush:bob", "entry 2 of 2 repeats a key for another user"),
    ],
)
def test_a_malformed_api_key_is_told_by_its_place(text, why):
    told = refusal(api_keys=text)
    assert why in told
    assert "hush" not in told


@pytest.mark.parametrize(
    ("model", "key", "provider"),
    [
        ("auto", None, "offline"),
        ("auto", "gsk", "groq"),
        ("offline", "gsk", "offline"),
        ("scripted", None, "scripted"),
        ("llama-3.3-70b-versatile", "gsk", "groq"),
    ],
)
def test_the_model_decides_who_answers(monkeypatch, model, key, provider):
    if key:
        monkeypatch.setenv("GROQ_API_KEY", key)
    assert load_settings(model=model).provider() == provider


def test_a_providers_model_needs_a_key_or_a_server_of_its_own():
    assert "set GROQ_API_KEY" in refusal(model="ofline")
    assert (
        load_settings(model="tiny", model_base_url="http://localhost:1/v1/").model_base_url == "http://localhost:1/v1"
    )


def test_the_longest_message_fits_the_body_limit_however_it_is_escaped():
    settings = load_settings()
    worst = '"' + "\\ud83d\\ude00" * settings.max_message_chars + '"'
    assert len(worst) < settings.max_body_bytes
    assert "SIGNALBOX_MAX_BODY_BYTES: a message of 100000 characters" in refusal(max_message_chars=100_000)


def test_origins_are_a_list_of_origins():
    origins = load_settings(cors_origins="https://a.example/, http://localhost:5173,capacitor://localhost").cors_origins
    assert origins == ("https://a.example", "http://localhost:5173", "capacitor://localhost")
    assert "'https://a.example/app' is not an origin" in refusal(cors_origins="https://a.example/app")


def test_an_env_file_that_is_not_text_is_named(tmp_path):
    Path(".env").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        load_settings()


def test_the_cookie_secret_is_made_once_for_everyone_and_readable_by_us_only(tmp_path):
    settings = load_settings(data_dir=tmp_path / "new" / "folder")
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: settings.cookie_secret(), range(32)))
    assert len(found) == 1
    assert len(found.pop()) >= 32
    (file,) = settings.data_dir.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_secret_that_is_set_needs_no_file(tmp_path):
    settings = load_settings(secret_key="0123456789abcdef", data_dir=tmp_path / "unused")
    assert settings.cookie_secret() == "0123456789abcdef"
    assert not (tmp_path / "unused").exists()


def test_a_secret_file_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "secret_key").write_text("short")
    with pytest.raises(ConfigurationError, match="damaged"):
        load_settings(data_dir=tmp_path).cookie_secret()
    with pytest.raises(ConfigurationError, match="SIGNALBOX_SECRET_KEY"):
        load_settings(data_dir=tmp_path / "secret_key").cookie_secret()


def test_every_setting_describes_itself_in_one_sentence():
    described = {variable: (default, text) for variable, default, text in describe_settings()}
    assert len(described) == len(Settings.model_fields)
    assert described["SIGNALBOX_HEARTBEAT_S"][0] == "15"
    assert described["GROQ_API_KEY"][0] == ""
    for _, text in described.values():
        assert text.endswith(".")
        assert ". " not in text


@pytest.mark.parametrize(
    "url", ["smtp://h", "smtp://u:p@h:587", "smtps://u:p%40x@h:465", "smtp://127.0.0.1:2525", "smtps://[::1]:465"]
)
def test_a_mail_server_is_taken_with_an_address_to_send_from(url):
    settings = load_settings(smtp_url=url, mail_from=" a@b.example ")
    assert settings.smtp_url.get_secret_value() == url
    assert (settings.mail_from, settings.mail_timeout_s) == ("a@b.example", 20)


def test_a_mail_server_without_a_sender_names_the_setting_that_is_missing():
    assert "SIGNALBOX_SMTP_URL: e-mails need a sender; set SIGNALBOX_MAIL_FROM" in refusal(smtp_url="smtp://u:hush@h")
    assert "hush" not in refusal(smtp_url="smtp://u:hush@h")
    assert load_settings(mail_from="a@b.example").smtp_url is None


@pytest.mark.parametrize(
    "url", ["http://u:hush@h", "u:hush@h", "smtp://", "smtp://u:hush/h@x", "smtp://u:hush@h:port", "smtp://u:hush@h/x",
            "smtp://u:hush@h?x=1", "smtp://u:hu#sh@h", "smtp://hush@h", "smtp://:hush@h", "smtp://u:hush@[h"]
)  # fmt: skip
def test_a_mail_server_that_cannot_be_read_is_refused_without_showing_the_password(url):
    told = refusal(smtp_url=url, mail_from="a@b.example")
    assert "SIGNALBOX_SMTP_URL" in told
    assert "hush" not in told


@pytest.mark.parametrize(
    "address", ["a", "a@", "@b", "a b@c.example", "Ann <a@b.example>", "a@b.example\nBcc: x@y.z", "jörg@b.de"]
)
def test_the_sender_is_one_plain_address(address):
    assert "SIGNALBOX_MAIL_FROM: is not an e-mail address" in refusal(mail_from=address)
