"""Mail that leaves, against a real SMTP server on the loopback interface: what arrives, and what is said if not."""

import email.utils
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError
from structlog.testing import capture_logs

from mail_server import free_port, mailbox, self_signed
from signalbox.settings import load_settings
from signalbox.tools.codec import codec_of
from signalbox.tools.mailing import Mailer, Sent, address_problem, build_mailer, may_have_been_sent
from signalbox.tools.result import Err, Ok
from signalbox.tools.send_email import Mail, SendEmail, can_send

FROM = "assistant@signalbox.example"
SECRET = "hunter2-s3cret"
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


@pytest.fixture
def box():
    with mailbox() as opened:
        yield opened


def tool(url, timeout_s=30.0):
    return SendEmail(Mailer(url, sender=FROM, timeout_s=timeout_s))


def mail(to=("jane@acme.example",), subject="Data Engineer at Acme", body="Hi Jane,\n\nShall we talk?\n", **more):
    return Mail(to=to, subject=subject, body=body, **more)


async def test_a_mail_arrives_as_it_was_approved(box):
    sent = (await tool(box.url()).run(mail(reply_to="ada@home.example"), "run_1/send_email/1")).value
    (kept,) = box.kept
    assert (kept.sender, kept.to) == (FROM, ("jane@acme.example",))
    message = kept.message
    assert message["From"] == FROM
    assert message["To"] == "jane@acme.example"
    assert message["Reply-To"] == "ada@home.example"
    assert message["Subject"] == "Data Engineer at Acme"
    assert message["Message-ID"] == sent.message_id
    assert kept.text == "Hi Jane,\n\nShall we talk?"
    assert abs(email.utils.parsedate_to_datetime(message["Date"]) - datetime.now(UTC)) < timedelta(minutes=1)
    assert sent.to == ("jane@acme.example",)
    assert sent.subject == "Data Engineer at Acme"
    assert (sent.refused, sent.sender, sent.reply_to) == ((), FROM, "ada@home.example")


async def test_a_repetition_can_be_told_by_the_message_id(box):
    sender = tool(box.url())
    ids = [(await sender.run(mail(), key)).value.message_id for key in ("run_1/a", "run_1/a", "run_2/a", "", "")]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 4
    assert all(each.endswith("@signalbox.example>") and each.startswith("<") for each in ids)
    assert [kept.message["Message-ID"] for kept in box.kept] == ids


async def test_other_scripts_and_lines_with_dots_arrive_whole(box):
    body = ".\n..leading dots\nFrom here, with ümläuts, 日本語 and 🙂\n" + "long " * 400 + "\n\ttab, end."
    subject = "Grüße aus Köln: 日本語 — ein Betreff, der länger ist als eine Zeile im Kopf der Nachricht sein darf"
    assert isinstance(await tool(box.url()).run(mail(subject=subject, body=body)), Ok)
    (kept,) = box.kept
    assert kept.message["Subject"] == subject
    assert kept.text == body
    kept.raw.decode("ascii")
    assert max(map(len, kept.raw.split(b"\r\n"))) <= 998


async def test_of_several_recipients_one_may_be_refused(box):
    box.refuse["bob@acme.example"] = "550 5.1.1 no such user"
    to = ("jane@acme.example", "bob@acme.example", "eve@acme.example")
    sent = (await tool(box.url()).run(mail(to))).value
    assert sent.to == ("jane@acme.example", "eve@acme.example")
    assert sent.refused == ("bob@acme.example (550 5.1.1 no such user)",)
    assert box.kept[0].to == sent.to


@pytest.mark.parametrize(("reply", "retryable"), [("550 no such user", False), ("450 mailbox busy", True)])
async def test_when_all_recipients_are_refused_nothing_is_sent_and_they_are_named(box, reply, retryable):
    box.refuse["jane@acme.example"] = reply
    result = await tool(box.url()).run(mail())
    assert (result.kind, result.retryable) == ("invalid_arguments", retryable)
    assert f"jane@acme.example ({reply})" in result.note
    assert result.done == "no"
    assert box.kept == []


@pytest.mark.parametrize(
    ("command", "reply", "retryable"),
    [("MAIL", "451 4.3.0 later", True), ("MAIL", "553 not you", False), ("DATA", "452 disk full", True),
     ("DATA", "554 looks like spam", False)],
)  # fmt: skip
async def test_a_refusal_is_for_now_or_for_good(box, command, reply, retryable):
    box.at[command] = reply
    result = await tool(box.url()).run(mail())
    assert (result.kind, result.retryable) == ("unavailable", retryable)
    assert reply in result.note
    assert result.done == "no"


@pytest.mark.parametrize(("what", "kind"), [("hang", "timeout"), ("drop", "unavailable")])
async def test_a_failure_after_the_text_was_handed_over_may_have_sent_it(box, what, kind):
    box.at["DATA"] = what
    result = await tool(box.url(), timeout_s=1.5).run(mail())
    assert (result.kind, result.retryable) == (kind, False)
    assert may_have_been_sent(result)
    assert result.done == "unknown"
    assert "could not tell whether it was sent" in result.note


@pytest.mark.parametrize(("command", "what", "kind"), [("EHLO", "hang", "timeout"), ("MAIL", "hang", "timeout"),
                                                       ("MAIL", "drop", "unavailable")])  # fmt: skip
async def test_a_failure_before_that_has_not_sent_it(box, command, what, kind):
    box.at[command] = what
    result = await tool(box.url(), timeout_s=1.5).run(mail())
    assert (result.kind, result.retryable, result.done) == (kind, True, "no")
    assert not may_have_been_sent(result)
    assert box.kept == []


async def test_a_server_that_is_not_there_is_told_as_such():
    result = await tool(f"smtp://127.0.0.1:{free_port()}").run(mail())
    assert (result.kind, result.retryable) == ("unavailable", True)
    assert "cannot be reached" in result.note


async def test_a_login_is_used_and_a_refused_one_names_the_setting_and_never_the_password():
    with mailbox(password=SECRET) as box:
        assert isinstance(await tool(box.url(f"ann:{SECRET}")).run(mail()), Ok)
        assert box.logins[0] == ("ann", SECRET, False)
        with capture_logs() as logs:
            wrong = tool(box.url("ann:wr%40ng-s3cret"))
            results = [await wrong.run(mail()), await tool(box.url()).run(mail())]
    assert box.logins[1][1] == "wr@ng-s3cret"
    for result in results:
        assert (result.kind, result.retryable) == ("auth", False)
        assert "SIGNALBOX_SMTP_URL" in result.note
    told = f"{results} {logs} {wrong!r} {vars(wrong)}"
    assert "s3cret" not in told
    assert len(box.kept) == 1


async def test_a_server_that_repeats_the_password_does_not_spread_it():
    with mailbox(password=SECRET) as box:
        box.at["MAIL"] = f"550 go away {SECRET}"
        with capture_logs() as logs:
            result = await tool(box.url(f"ann:{SECRET}")).run(mail())
    assert "550 go away" in result.note
    assert SECRET not in f"{result} {logs}"


async def test_the_password_does_not_leave_the_machine_unencrypted():
    with mailbox(host="0.0.0.0", password=SECRET) as box:
        result = await tool(box.url(f"ann:{SECRET}")).run(mail())
    assert (result.kind, result.retryable) == ("auth", False)
    assert "no encryption" in result.note
    assert (box.logins, box.kept) == ([], [])


@needs_openssl
async def test_the_connection_is_encrypted_where_that_is_offered(tmp_path):
    context = self_signed(tmp_path)
    with mailbox(tls=context, password=SECRET) as box:
        assert isinstance(await tool(box.url(f"ann:{SECRET}")).run(mail()), Ok)
    assert box.logins == [("ann", SECRET, True)]
    with mailbox(tls=context, wrapped=True) as box:
        assert isinstance(await tool(box.url(scheme="smtps")).run(mail()), Ok)


@needs_openssl
@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
async def test_a_certificate_that_nobody_vouches_for_is_not_trusted_elsewhere(tmp_path, scheme):
    with mailbox(host="0.0.0.0", tls=self_signed(tmp_path), wrapped=scheme == "smtps", password=SECRET) as box:
        result = await tool(box.url(f"ann:{SECRET}", scheme)).run(mail())
    assert result.kind == "unavailable"
    assert (box.logins, box.kept) == ([], [])


async def test_international_addresses_need_a_server_that_takes_them(box):
    who = "jörg@bücher.example"
    sent = (await tool(box.url()).run(mail([who]))).value
    assert box.kept[0].to == sent.to == (who,)
    assert "SMTPUTF8" in box.kept[0].options
    assert email.message_from_bytes(box.kept[0].raw, policy=email.policy.default)["To"] == who
    with mailbox(utf8=False) as plain:
        result = await tool(plain.url()).run(mail([who, "jane@acme.example"]))
        assert (result.kind, result.retryable) == ("invalid_arguments", False)
        assert who in result.note
        assert "jane@acme.example" not in result.note
        assert plain.kept == []
        assert isinstance(await tool(plain.url()).run(mail(subject="Grüße")), Ok)


async def test_without_a_mail_server_the_operator_is_told_what_to_set():
    sender = SendEmail(build_mailer(load_settings()))
    result = await sender.run(mail())
    assert (result.kind, result.retryable) == ("unavailable", False)
    assert "SIGNALBOX_SMTP_URL" in result.note
    assert not can_send({SendEmail.name: sender})
    assert not can_send({})
    assert can_send({SendEmail.name: tool("smtp://h")})
    assert SendEmail.effect == "irreversible"


def test_the_longest_time_limit_ends_before_the_tool_is_cut_off():
    settings = load_settings(smtp_url="smtp://h", mail_from=FROM, mail_timeout_s=120)
    assert settings.mail_timeout_s < SendEmail.timeout_s


@pytest.mark.parametrize(
    "to",
    [
        "jane@acme.example\r\nBcc: eve@evil.example", "jane@acme.example\nX: y", "jane@acme", "@acme.example", "jane",
        "jane doe@acme.example", "a@b@acme.example", "jane@-acme.example", "jane@acme..example", ".jane@acme.example",
        "jane@127.0.0.1", "x" * 65 + "@acme.example", "jane@" + "a." * 130 + "example", "jane@acme.example\x00",
        "jane\u202e@acme.example", "<jane@acme.example>", "",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_before_anything_happens(to):
    assert address_problem(to)
    with pytest.raises(ValidationError, match="is not an e-mail address"):
        mail([to])


@pytest.mark.parametrize("to", ["jane@acme.example", "j.o'neil+x@mail.acme.co.uk", "jörg@bücher.example", "a_b@x-y.io"])
def test_an_address_that_is_one_is_taken(to):
    assert address_problem(to) is None
    assert mail([to]).to == (to,)


def test_recipients_are_a_few_and_each_gets_it_once():
    assert mail("a@x.io, b@x.io; A@X.io").to == ("a@x.io", "b@x.io")
    with pytest.raises(ValidationError, match="at most 5"):
        mail([f"a{n}@x.io" for n in range(6)])
    with pytest.raises(ValidationError, match="at least 1"):
        mail([])


@pytest.mark.parametrize(
    ("field", "value"),
    [("subject", "Hi\r\nBcc: eve@evil.example"), ("subject", "Hi\nthere"), ("subject", "  "), ("subject", "a\u2028b"),
     ("subject", "x" * 201), ("body", " \n "), ("body", "x" * 20_001), ("body", "a\x00b"), ("body", "a\x1bb"),
     ("reply_to", "ada@home.example\r\nBcc: eve@evil.example"), ("cc", "eve@evil.example")],
)  # fmt: skip
def test_nothing_can_be_smuggled_into_the_headers_or_go_beyond_the_limits(field, value):
    with pytest.raises(ValidationError):
        mail(**{field: value})


async def test_line_ends_of_any_kind_are_those_of_mail(box):
    await tool(box.url()).run(mail(body="a\r\nb\rc\nd"))
    assert box.kept[0].text == "a\nb\nc\nd"
    assert b"\r\r" not in box.kept[0].raw


async def test_the_result_is_kept_and_read_back_the_same(box):
    sender = tool(box.url())
    result = await sender.run(mail())
    codec = codec_of(sender)
    assert codec.load(codec.dump(result)) == result
    assert isinstance(result.value, Sent)
    lost = Err("timeout", "could not tell whether it was sent: x", retryable=False)
    assert codec.load(codec.dump(lost)) == lost
