import gc
import socket

from sandbox.ports import LOOPBACK, KeptPort


def listener(port, *, reuse=True):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(reuse))
    try:
        server.bind((LOOPBACK, port))
        server.listen()
    except OSError:
        server.close()
        return None
    return server


def test_server_listens_on_a_kept_port_again_and_again():
    port = KeptPort()

    for _ in range(2):
        with listener(port.number) as server:
            assert server.getsockname() == (LOOPBACK, port.number)


def test_no_process_answers_on_a_kept_port_without_a_server():
    port = KeptPort()

    with socket.socket() as client:
        assert client.connect_ex((LOOPBACK, port.number)) != 0


def test_kept_ports_are_given_to_no_other_process():
    ports = [KeptPort() for _ in range(200)]
    others = [listener(0) for _ in range(200)]
    numbers = [port.number for port in ports] + [other.getsockname()[1] for other in others]
    for other in others:
        other.close()

    assert len(set(numbers)) == len(numbers)
    assert listener(ports[0].number, reuse=False) is None


def test_port_is_free_again_when_it_is_not_kept():
    port = KeptPort()
    number = port.number

    del port
    gc.collect()

    with listener(number, reuse=False) as server:
        assert server.getsockname() == (LOOPBACK, number)
