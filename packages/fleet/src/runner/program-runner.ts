/** Runs workers as processes of this machine, or in containers of Docker: a command line that ends with the worker. */
import { errorText, log } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Runner } from "./dispatch.ts";

export interface ProgramOptions {
	/** The command line of a worker, by the name that it gets. */
	command(name: string): readonly string[];
	/** Ends what the command line has started, where killing it is not enough. */
	stop?(name: string): readonly string[];
	readonly env: Readonly<Record<string, string>>;
}

export function programRunner({ command, stop, env }: ProgramOptions): Runner {
	return {
		async run(name, signal) {
			const child = Bun.spawn([...command(name)], {
				env: { ...env },
				stdin: "ignore",
				stdout: "ignore",
				stderr: "inherit",
			});
			const end = (): void => {
				child.kill("SIGTERM");
				if (stop) void cleanUp(stop(name), env);
			};
			signal.addEventListener("abort", end, { once: true });
			const code = await child.exited;
			signal.removeEventListener("abort", end);
			if (code !== 0 && !signal.aborted) throw new Error(`The worker ended with code ${code}.`);
		},
	};
}

async function cleanUp(command: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
	try {
		const child = Bun.spawn([...command], {
			env: { ...env },
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
		});
		const timer = setTimeout(() => child.kill("SIGKILL"), limits.gatewayMs);
		await child.exited;
		clearTimeout(timer);
	} catch (error) {
		log.warn("a container was not stopped", { reason: errorText(error) });
	}
}

/** The flags of `docker run`: removed at its end, without rights that a worker does not need, and with these variables. */
export function dockerCommand(image: string, variables: readonly string[], worker: readonly string[]) {
	const flags = variables.flatMap((variable) => ["--env", variable]);
	const run = "docker run --rm --init --pull missing --name".split(" ");
	return (name: string): string[] => [...run, name, ...flags, image, ...worker];
}
