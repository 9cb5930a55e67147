/** Counters of a relay, as Prometheus reads them. No room, address or link is in them. */

const counters = {
	connections_opened: "Connections that were accepted",
	connections_refused: "Connections that were refused before they began",
	rooms_opened: "Rooms that hosts opened on this node",
	rooms_shed: "Times that a quiet room's messages were dropped for lack of memory",
	messages: "Messages that members sent to this node",
	message_bytes: "Bytes of these messages",
	deliveries: "Messages that were sent to members of this node",
	closed_by_relay: "Connections that the relay closed, for any reason of its own",
	resumed: "Members that came back with a cursor that the log covered",
	lost: "Members that came back too late for the log",
	redis_writes: "Calls that wrote messages of rooms to Redis",
	redis_reads: "Times that missed messages were read from Redis",
	redis_lost: "Times that Redis could not be reached any more",
	shares_stored: "Shares that were stored",
	shares_read: "Shares that were read",
	pushes: "Notifications that were forwarded",
} as const;

export type Counter = keyof typeof counters;

export class Metrics {
	readonly #counts = new Map<Counter, number>();
	readonly #gauges: { name: string; help: string; read: () => number }[] = [];

	add(counter: Counter, count = 1): void {
		this.#counts.set(counter, this.get(counter) + count);
	}

	get(counter: Counter): number {
		return this.#counts.get(counter) ?? 0;
	}

	gauge(name: string, help: string, read: () => number): void {
		this.#gauges.push({ name, help, read });
	}

	/** The text format, version 0.0.4. */
	text(): string {
		const lines: string[] = [];
		const add = (name: string, type: string, help: string, value: number): void => {
			lines.push(
				`# HELP tau_relay_${name} ${help}.`,
				`# TYPE tau_relay_${name} ${type}`,
				`tau_relay_${name} ${value}`,
			);
		};
		for (const [name, help] of Object.entries(counters))
			add(`${name}_total`, "counter", help, this.get(name as Counter));
		for (const { name, help, read } of this.#gauges) add(name, "gauge", help, read());
		return `${lines.join("\n")}\n`;
	}
}
