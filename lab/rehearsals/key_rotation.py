"""Keys are replaced while questions are asked: an API key, the key that signs receipts, and the token for metrics."""

import json
import time

from rehearsal import QUESTIONS, Asker, get


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up()
    installation = stage.installation()
    old_key = installation.load()
    tokens = ["the-first-token-of-metrics", "the-second-token-of-metrics"]
    servers = [installation.serve(log=f"server{number}.log", IBIDEM__SERVER__METRICS_TOKEN=tokens[0]) for number in range(2)]
    say(f"two servers are ready, the second {servers[1].ready_after:.1f} s after its start")

    def metrics(server, token):
        return get(server.port, "/metrics", {"authorization": f"Bearer {token}"})[0]

    check([metrics(servers[0], token) for token in tokens] == [200, 401], "metrics: the first token opens them, the second does not")
    before = servers[0].ask(old_key, QUESTIONS[0])
    check(before.answered, f"a question is answered; its receipt is signed with key {signer(before)}")

    # The API key: both work for as long as the callers need, then the old one ends at once.
    new_key = installation.key()
    check(servers[0].ask(new_key, QUESTIONS[1]).answered, "a second API key works beside the first")
    listed = installation.run("key", "list").stdout
    old_id = next(line for line in listed.splitlines() if "rehearsal" in line).replace("│", " ").replace("|", " ").split()[0]
    installation.run("key", "revoke", old_id)
    began = time.monotonic()
    outcomes = [server.ask(old_key, QUESTIONS[1]).status for server in servers]
    check(sorted(outcomes) in ([200, 401], [401, 401]),
          f"the old key is revoked; asked {time.monotonic() - began:.1f} s later, the servers reply {outcomes}")
    if 200 in outcomes:
        old_key, new_key = new_key, old_key  # the other of the two was listed first
    check([server.ask(new_key, QUESTIONS[1]).answered for server in servers] == [True, True], "the new key works at both")

    # The signing key: the servers are restarted one after the other, and nobody waits.
    up = list(servers)
    with Asker(lambda: list(up), new_key) as asker:
        asker.wait_for(2)
        rotated = time.monotonic()
        said = installation.run("signing-key", "rotate").stdout.strip()
        say(f"`ibidem signing-key rotate`: {said}")
        asker.wait_for(2)
        check({signer(reply) for reply in asker.since(rotated) if reply.answered} == {signer(before)},
              "until they are restarted, the servers sign with the old key")
        for server in servers:
            up.remove(server)
            # Questions under way are finished: the server stops taking new ones first.
            server.stop()
            server.environment["IBIDEM__SERVER__METRICS_TOKEN"] = tokens[1]
            server.start()
            up.append(server)
            say(f"a server is restarted, ready after {server.ready_after:.1f} s")
        restarted = time.monotonic()
        asker.wait_for(4, restarted)
    outcomes = asker.counts()
    check(set(reply.outcome for reply in asker.since(0)) == {"answered"}, f"questions asked meanwhile: {outcomes}")
    after = [reply for reply in asker.since(restarted)]
    check(all(signer(reply) != signer(before) for reply in after), f"receipts are now signed with key {signer(after[0])}")
    check([metrics(servers[0], token) for token in tokens] == [401, 200], "metrics: the second token opens them, the first does not")

    for name, reply in (("from before", before), ("from after", after[0])):
        file = stage.place / "answer.json"
        file.write_text(json.dumps(reply.answer))
        done = installation.run("verify", file, check=False)
        check(done.returncode == 0, f"`ibidem verify` of the receipt {name}: {done.stdout.strip().splitlines()[-1].strip()}")
    keys = json.loads(installation.run("signing-key", "public").stdout)["keys"]
    check(len(keys) == 2, "the published key set has both keys, so receipts from before can still be checked elsewhere")


def signer(reply):
    return reply.answer["receipt"]["signature"]["key"]
