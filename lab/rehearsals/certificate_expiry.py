"""PostgreSQL's certificate expires while questions are asked, is noticed, and is renewed without a restart."""

import datetime
import os
import shutil
import subprocess
import time

from rehearsal import Asker, wait_until

AUTHORITY = """
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
serial = serial
default_md = sha256
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
"""


class Authority:
    """A certificate authority in a folder, since an expiry in seconds cannot be bought."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "openssl.cnf").write_text(AUTHORITY)
        (folder / "index.txt").write_text("")
        (folder / "serial").write_text("1000\n")
        self.run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "30",
                 "-subj", "/CN=rehearsal authority")

    def run(self, *words):
        return subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def certificate(self, server, seconds):
        """For loopback, valid for so many seconds from now, put where the server reads it."""
        ends = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
        begins = ends - datetime.timedelta(days=90)
        self.run("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "new.key", "-out", "new.csr", "-subj", "/CN=127.0.0.1",
                 "-addext", "subjectAltName=IP:127.0.0.1")
        self.run("ca", "-batch", "-notext", "-config", "openssl.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", "new.csr",
                 "-out", "new.pem", "-startdate", f"{begins:%y%m%d%H%M%SZ}", "-enddate", f"{ends:%y%m%d%H%M%SZ}")
        for made, name in (("new.key", "server.key"), ("new.pem", "server.pem")):
            target = server.place / name
            shutil.copy(self.folder / made, target)
            target.chmod(0o600)
            if os.geteuid() == 0:
                shutil.chown(target, "postgres", "postgres")
        return ends


def days_left(server, folder, days):
    """Whether the certificate that the server shows is still valid in so many days, as a monitor would ask."""
    shown = subprocess.run(["openssl", "s_client", "-starttls", "postgres", "-connect", f"127.0.0.1:{server.port}"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20).stdout
    (folder / "shown.pem").write_text(shown)
    return subprocess.run(["openssl", "x509", "-in", folder / "shown.pem", "-noout", "-checkend", str(days * 86400)],
                          capture_output=True).returncode == 0


def rehearse(stage):
    say, check = stage.log.say, stage.log.check
    stage.up()
    folder = stage.folder("authority")
    authority = Authority(folder)
    postgres = stage.postgres("primary").make()
    authority.certificate(postgres, 90 * 86400)
    postgres.settings += ["ssl=on", f"ssl_cert_file={postgres.place}/server.pem", f"ssl_key_file={postgres.place}/server.key"]
    postgres.start()
    postgres.sql("create database ibidem")
    installation = stage.installation(postgres.url(options=f"?sslmode=verify-full&sslrootcert={folder}/ca.pem"))
    key = installation.load()
    check(postgres.sql("select count(*) = 0 from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'ibidem' and not ssl") == "t",
          "Ibidem reaches PostgreSQL by TLS and checks its certificate (sslmode=verify-full)")
    check(days_left(postgres, folder, 14), "`openssl x509 -checkend`: valid in 14 days")
    ends = authority.certificate(postgres, 45)
    postgres.sql("select pg_reload_conf()")
    wait_until("the short certificate is shown", lambda: not days_left(postgres, folder, 14), 20)
    say("a certificate that ends soon is installed: the same check now warns")
    server = installation.serve()
    with Asker([server], key) as asker:
        asker.wait_for(2)
        rest = (ends - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
        time.sleep(max(0, rest) + 2)
        expired = time.monotonic()
        say("the certificate has expired")
        asker.wait_for(2, expired)
        say(f"connections that are open go on: questions {asker.counts(expired)}")
        doctor = installation.run("doctor", check=False)
        line = next((line for line in doctor.stdout.splitlines() if "ertificate" in line or "atabase" in line), "").strip()
        check(doctor.returncode != 0, f"`ibidem doctor`, which connects anew, fails: {line[:220]}")
        postgres.sql("select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'ibidem'")
        ended = time.monotonic()
        time.sleep(6)
        check(not any(reply.answered for reply in asker.since(ended + 1)), f"with its connections closed, as by a restart of PostgreSQL: {asker.counts(ended + 1)}")
        authority.certificate(postgres, 90 * 86400)
        postgres.sql("select pg_reload_conf()")
        renewed = time.monotonic()
        say("a new certificate is put in place, and PostgreSQL reads it (pg_reload_conf)")
        say(f"first answer {asker.wait_for(1, renewed):.1f} s later; nothing was restarted")
        asker.wait_for(3, renewed)
    check(days_left(postgres, folder, 14), "`openssl x509 -checkend`: valid in 14 days")
    check(installation.run("doctor", check=False).returncode == 0, "`ibidem doctor` finds nothing wrong")
