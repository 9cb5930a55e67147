/** A recording of a running session: begins when it is made, and becomes a file when it stops. */
import { availableParallelism, platform, release } from "node:os";
import { readFileSync } from "node:fs";

import { version } from "@tau/utils";
import { knownSecrets, type FoundSecret } from "@tau/utils/secrets";

import { writeCassette } from "./file.ts";
import type { Facts } from "./format.ts";
import { masked } from "./masked.ts";
import type { Surroundings } from "./normal.ts";
import { Recorder } from "./recorder.ts";
import type { Tape } from "./tape.ts";

/** The log of a session, as the recording needs it. */
export interface RecordedLog {
	getSessionFile(): string | undefined;
	getSessionId(): string;
	getHeader(): object;
	getEntries(): readonly object[];
	getCwd(): string;
}

export interface RecordingOptions {
	readonly log: RecordedLog;
	readonly file: string;
	readonly tape: Tape;
	readonly surroundings: () => Surroundings;
	/** Beside what every recording knows. */
	readonly facts?: Partial<Facts>;
}

export interface WrittenCassette {
	readonly file: string;
	readonly bytes: number;
	readonly requests: number;
	/** What was masked. */
	readonly found: readonly FoundSecret[];
}

export class Recording {
	readonly #options: RecordingOptions;
	readonly #recorder: Recorder;

	constructor(options: RecordingOptions) {
		this.#options = options;
		this.#recorder = new Recorder(options.surroundings);
		options.tape.set(this.#recorder.tap);
	}

	get file(): string {
		return this.#options.file;
	}

	/** Throws with the reason where it cannot be written. */
	async stop(): Promise<WrittenCassette> {
		const { tape, log, file, facts } = this.#options;
		tape.set(undefined);
		const recorded = this.#recorder.cassette(linesOf(log), { ...environmentFacts(), ...facts });
		const { cassette, found } = await masked(recorded, knownSecrets(process.env));
		const bytes = writeCassette(file, cassette);
		return { file, bytes, requests: cassette.exchanges.length, found };
	}
}

/** As they are on disk; a session that is not saved has no file. */
export function linesOf(log: RecordedLog): string[] {
	const file = log.getSessionFile();
	const text = file === undefined ? undefined : textIn(file);
	if (text === undefined) return [log.getHeader(), ...log.getEntries()].map((each) => JSON.stringify(each));
	return text.split("\n").filter((line) => line.trim() !== "" && isWhole(line));
}

/** Undefined before the first entry, which creates the file. */
function textIn(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}

/** A crash may have torn a line; the session continues without it. */
function isWhole(line: string): boolean {
	try {
		JSON.parse(line);
		return true;
	} catch {
		return false;
	}
}

export function environmentFacts(): Facts {
	const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions();
	return {
		tau: version,
		os: `${platform()} ${release()} ${process.arch}`,
		runtime: `bun ${Bun.version}`,
		locale: process.env.LC_ALL ?? process.env.LANG ?? locale,
		timeZone,
		cores: availableParallelism(),
	};
}
