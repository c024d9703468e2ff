#!/usr/bin/env python3
"""Stands for dpusim in the tests of sweeps: takes the arguments of a run and writes results.json as a run does.

--set fake.KEY=VALUE chooses what happens: rate (octets a second of p1), burn (seconds of CPU time), sleep (seconds), exit (code), say (text on
standard error), reason (of the end), die (signal), saturated, resource, fidelity, hang, count (appends a line to this file), missing."""
import json
import os
import pathlib
import signal
import sys
import time


def main():
    arguments = sys.argv[1:]
    if arguments[0] != 'run':
        return 2
    settings = {'rate': '0', 'exit': '0', 'resource': 'ddr.channel0_bus', 'fidelity': 'approximate', 'reason': 'captures ended, card quiet'}
    settings.update(text.split('=', 1) for text in (after for flag, after in zip(arguments, arguments[1:]) if flag == '--set'))
    settings = {key.removeprefix('fake.'): json.loads(value) if value.startswith('"') else value for key, value in settings.items()}
    out = pathlib.Path(arguments[arguments.index('--out') + 1])
    if 'count' in settings:
        with open(settings['count'], 'a') as file:
            file.write('run\n')
    if 'sleep' in settings:
        time.sleep(float(settings['sleep']))
    if settings.get('hang') == 'true':
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1000)
    until = time.process_time() + float(settings.get('burn', 0))
    while time.process_time() < until:
        pass
    if 'say' in settings:
        print(settings['say'].replace('OUT', str(out)), file=sys.stderr)
    if 'die' in settings:
        os.kill(os.getpid(), int(settings['die']))
    code = int(settings['exit'])
    if code == 2:
        return 2
    out.mkdir()
    rate = float(settings['rate'])
    occupancy = min(1, rate / 12.5e9)
    rates = {'p1.ifOutOctets': {'per_second': rate, 'total': rate / 1000, 'unit': 'octets', 'text': 'Octets sent'}} if rate else {}
    rates['p0.ifInOctets'] = {'per_second': 1e9, 'total': 1e6, 'unit': 'octets', 'text': 'Octets received'}
    results = {
        'schema': {'name': 'dpusim-results', 'version': 1}, 'platform': 'bluefield2', 'outcome': {'exit_code': code, 'reason': settings['reason']},
        'fidelity': settings['fidelity'], 'window': {'from_ps': 0, 'to_ps': 10**9}, 'rates': rates,
        'levels': {'cpu.core0.ipc': {'value': 1.25, 'unit': 'instructions a cycle'}},
        'histograms': {'nic.card_latency': {'count': 10, 'mean': 1500.5, 'p50': 1400, 'p90': 1800, 'p99': 2000, 'p999': 2100, 'max': 2200,
                                            'unit': 'ps', 'text': 'Wire to wire'}},
        'resources': [{'name': settings['resource'], 'occupancy': occupancy, 'text': 'A bus'}, {'name': 'ddr.channel1_bus', 'occupancy': 0.25, 'text': 'A bus'},
                      {'name': 'nic.engine', 'occupancy': 0.125, 'text': 'An engine'}],
        'bottleneck': {'resource': settings['resource'], 'occupancy': occupancy, 'saturated': occupancy > 0.9,
                       'text': f'{settings["resource"]} was busy for {occupancy:.0%} of the window.'}}
    stats = {'stats': {'p1': {'ifOutOctets': {'value': 0}, 'ifInErrors': {'value': 0}}, 'p0': {'ifInOctets': {'value': 5}},
                       'nic': {'card_latency': {'count': 10}, 'rx_latency': {'count': 0}}}}
    (out / 'stats.json').write_text(json.dumps(stats))
    if settings.get('missing') != 'true':
        (out / 'results.json').write_text(json.dumps(results))
    return code


sys.exit(main())
