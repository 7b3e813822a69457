"""TLS of the server of local learning: renegotiation, sessions, old versions and ciphers, and
certificates that are renewed amid handshakes. Part of local_attacks.py.
"""

import contextlib
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import warnings

from local_storm import Server

REQUEST = b"GET /v1/none HTTP/1.1\r\nHost: x\r\n\r\n"


def hang_up(server):
    server.process.send_signal(signal.SIGHUP)
    time.sleep(0.3)


def certificate(folder, name):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out",
                    f"{name}.pem", "-days", "2", "-subj", "/CN=test", "-addext",
                    "subjectAltName=IP:127.0.0.1"], cwd=folder, capture_output=True, check=True)
    return ssl.PEM_cert_to_DER_cert((folder / f"{name}.pem").read_text())


def put_in_place(folder, pem, key):
    for source, target in ((f"{pem}.pem", "now.pem"), (f"{key}.key", "now.key")):
        shutil.copy(folder / source, folder / f"{target}.new")
        os.replace(folder / f"{target}.new", folder / target)


def client(**more):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for name, value in more.items():
        setattr(context, name, value)
    return context


def check_handshakes(server, folder, known, faults):
    """The pair is renewed, and once does not fit, while others shake hands."""
    met, ended = [], threading.Event()

    def shake_hands():
        while not ended.is_set():
            try:
                with socket.create_connection(("127.0.0.1", server.port), 10) as plain, \
                        client().wrap_socket(plain) as secure:
                    secure.sendall(REQUEST)
                    met.append((known.get(secure.getpeercert(True)), b" 404 " in secure.recv(4096)))
            except OSError as error:
                met.append((str(error), False))

    threads = [threading.Thread(target=shake_hands) for _ in range(4)]
    for thread in threads:
        thread.start()
    for i in range(12):
        pem = ("first", "second")[i % 2]
        put_in_place(folder, pem, "second" if i == 8 else pem)
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.05)
    ended.set()
    for thread in threads:
        thread.join()
    if {name for name, _ in met} != {"first", "second"} or not all(right for _, right in met):
        faults.append(f"handshakes while certificates are renewed: {set(met)}")


def half_a_handshake(server, folder, faults):
    """Its first bytes come before the certificate is renewed, the others afterwards."""
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    secure = client().wrap_bio(inward, outward)
    with contextlib.suppress(ssl.SSLWantReadError):
        secure.do_handshake()
    hello = outward.read()
    with socket.create_connection(("127.0.0.1", server.port), 10) as plain:
        plain.settimeout(10)
        plain.sendall(hello[:20])
        put_in_place(folder, "first", "first")
        hang_up(server)
        plain.sendall(hello[20:])
        while True:
            try:
                secure.do_handshake()
                return
            except ssl.SSLWantReadError:
                plain.sendall(outward.read())
                got = plain.recv(65536)
                if not got:
                    faults.append("a handshake ends where the certificate is renewed amid it")
                    return
                inward.write(got)


def check_tls(program, folder, faults):
    warnings.filterwarnings("ignore", category=DeprecationWarning)  # old versions are the point
    if not shutil.which("openssl"):
        print("no openssl: TLS is left out")
        return
    known = {certificate(folder, name): name for name in ("first", "second")}
    put_in_place(folder, "first", "first")
    server = Server(program, folder)
    server.start("--certificate", "now.pem", "--key", "now.key", state="secure.state")
    place = ("127.0.0.1", server.port)
    refused = {"TLS 1.1": {"maximum_version": ssl.TLSVersion.TLSv1_1,
                           "minimum_version": ssl.TLSVersion.TLSv1},
               "TLS 1.2": {"maximum_version": ssl.TLSVersion.TLSv1_2}}
    for name, more in refused.items():
        for ciphers in ("ALL:@SECLEVEL=0", "AES128-SHA:AES128-GCM-SHA256:@SECLEVEL=0",
                        "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"):
            context = client()
            context.set_ciphers(ciphers)
            for key, value in more.items():
                setattr(context, key, value)
            with contextlib.suppress(OSError), socket.create_connection(place, 10) as plain, \
                    context.wrap_socket(plain) as secure:
                kind, _, bits = secure.cipher()
                if name == "TLS 1.1" or not kind.startswith("ECDHE-") or "GCM" not in kind and \
                        "CHACHA20" not in kind:
                    faults.append(f"{name} with {kind}, {bits} bits, is taken")
    with subprocess.Popen(["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", "-tls1_2",
                           "-legacy_renegotiation"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as again:
        time.sleep(0.4)
        with contextlib.suppress(OSError):
            again.stdin.write(b"R\n")
            again.stdin.flush()
            time.sleep(0.4)
        again.kill()
        text = again.stdout.read().decode(errors="replace")
    if "RENEGOTIATING" not in text or "no renegotiation" not in text:
        faults.append(f"renegotiation: {text[-300:]}")
    with socket.create_connection(place, 10) as plain, client().wrap_socket(plain) as secure:
        secure.sendall(REQUEST)
        secure.recv(4096)
        if secure.session is not None and secure.session.has_ticket:
            faults.append("the server gives tickets, which early data would need")
    check_handshakes(server, folder, known, faults)
    half_a_handshake(server, folder, faults)
    if server.stop() != 0:
        faults.append("the server with TLS does not end well")
