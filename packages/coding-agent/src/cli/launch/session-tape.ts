/** Records the session of this process: `--record` from its first request, `/record` from then on. */
import { resolve } from "node:path";

import type { Recording, WrittenCassette } from "@tau/cassette";
import { Tape } from "@tau/cassette/tape";
import type { SessionManager } from "@tau/log";
import { startDate } from "@tau/session/behaviors";
import type { RecordControl } from "@tau/session-commands";
import { dirs, shortenHome } from "@tau/utils";

import { printError } from "../print-error.ts";

export class SessionTape implements RecordControl, AsyncDisposable {
	readonly tape = new Tape();
	readonly #log: SessionManager;
	#recording: Recording | undefined;

	/** Records at once if there is a file for it. Throws with the reason where it cannot be written. */
	static async open(log: SessionManager, file: string | undefined): Promise<SessionTape> {
		const tape = new SessionTape(log);
		if (file !== undefined) await tape.start(file);
		return tape;
	}

	private constructor(log: SessionManager) {
		this.#log = log;
	}

	get file(): string | undefined {
		return this.#recording?.file;
	}

	async start(file: string): Promise<void> {
		const { checkTarget, Recording: Started } = await import("@tau/cassette");
		const target = resolve(file);
		checkTarget(target);
		const log = this.#log;
		const { projectCommit } = await import("./project-commit.ts");
		this.#recording = new Started({
			log,
			facts: await projectCommit(log.getCwd()),
			file: target,
			tape: this.tape,
			surroundings: () => ({
				cwd: log.getCwd(),
				home: dirs().home,
				sessionId: log.getSessionId(),
				date: startDate(log),
			}),
		});
	}

	async stop(): Promise<WrittenCassette | undefined> {
		const recording = this.#recording;
		this.#recording = undefined;
		return await recording?.stop();
	}

	/** The session is over. */
	async [Symbol.asyncDispose](): Promise<void> {
		try {
			const written = await this.stop();
			if (written)
				printError(
					`Recorded to ${shortenHome(written.file)}. Replay it: tau replay ${shortenHome(written.file)}`,
				);
		} catch (error) {
			printError(`The recording was not written: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
}
