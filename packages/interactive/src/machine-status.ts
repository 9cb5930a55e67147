/** Shows in the footer which other machine the session works on, and how fast it answers. */
import type { SessionMachine } from "@tau/extensions/assembly";

import { latencyText } from "@tau/session-commands/rows";
import type { InteractiveHost } from "./host.ts";

const key = "machine";

/** Measured again after each run, off its path. */
export function followMachine(
	host: Pick<InteractiveHost, "status" | "client">,
	machine: SessionMachine | undefined,
): Disposable {
	using owned = new DisposableStack();
	if (!machine) return owned.move();
	const show = (): void => host.status(key, machineText(machine));
	owned.use(machine.onChange(show));
	owned.use(
		host.client.subscribe((event) => {
			if (event.type !== "agent_end" || machine.current?.state !== "connected") return;
			void machine.current.ping().then(show, show);
		}),
	);
	show();
	return owned.move();
}

function machineText({ current }: SessionMachine): string | undefined {
	if (!current) return undefined;
	const { name, cwd, latencyMs, state } = current;
	if (state !== "connected") return `${name}: connection lost`;
	return `${name}:${cwd}${latencyMs === undefined ? "" : ` ${latencyText(latencyMs)}`}`;
}
