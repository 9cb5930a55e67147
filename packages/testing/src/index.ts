/** Tests of extensions and prompts: a session that asks a real model once, and afterwards a recording of it. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { answersOf, checkTarget, Deck, normalizer, readCassette, Recording, type Miss } from "@tau/cassette";
import { Tape, type Tap } from "@tau/cassette/tape";
import {
	createAgentSession,
	type CreateAgentSessionOptions,
	type CreateAgentSessionResult,
} from "@tau/coding-agent";
import { SessionManager } from "@tau/log";
import { startDate } from "@tau/session/behaviors";
import { dirs } from "@tau/utils";
import { knownSecrets, maskValue } from "@tau/utils/secrets";

export interface RecordedSessionOptions extends Omit<CreateAgentSessionOptions, "wrapStream"> {
	/** The recording, which belongs into the repository. */
	readonly cassette: string;
	/** `auto` replays the file if it exists and records it otherwise, but never in CI. */
	readonly mode?: "auto" | "record" | "replay";
}

export interface RecordedSession extends CreateAgentSessionResult {
	readonly isReplay: boolean;
	/** Requests that the recording does not have; each has failed with the nearest one and what differs. */
	readonly misses: readonly Miss[];
}

/** With `await using`: a recording is written when the session is disposed of. Rejects where there is none in CI. */
export async function recordedSession(options: RecordedSessionOptions): Promise<RecordedSession> {
	const { cassette: name, mode = "auto", ...session } = options;
	const file = resolve(name);
	const isReplay = mode === "replay" || (mode === "auto" && existsSync(file));
	if (!isReplay && mode === "auto" && process.env.CI)
		throw new Error(
			`${file} does not exist, and nothing is recorded in CI. Run the test once without CI set.`,
		);
	const sessionManager = session.sessionManager ?? SessionManager.inMemory(resolve(session.cwd ?? "."));
	const own = { ...session, sessionManager };
	return isReplay ? await replayed(file, own) : await recorded(file, own);
}

type OwnOptions = CreateAgentSessionOptions & { sessionManager: SessionManager };

async function replayed(file: string, options: OwnOptions): Promise<RecordedSession> {
	const cassette = readCassette(file);
	const [first] = answersOf(cassette);
	const known = knownSecrets(process.env);
	const normal = normalizer(surroundingsOf(options.sessionManager));
	const deck = new Deck(cassette, {
		cwd: options.sessionManager.getCwd(),
		normal: (value) => maskValue(normal(value), known).value,
		onMiss: "refuse",
	});
	const model = first ? { model: first.model, apiKey: "replay" } : {};
	const opened = await createAgentSession({ ...model, ...options, wrapStream: deck.tap });
	return { ...opened, isReplay: true, misses: deck.misses };
}

async function recorded(file: string, options: OwnOptions): Promise<RecordedSession> {
	checkTarget(file);
	const log = options.sessionManager;
	const tape = new Tape();
	const wrapStream: Tap = (next) => tape.around(next);
	const opened = await createAgentSession({ ...options, wrapStream });
	const recording = new Recording({ log, file, tape, surroundings: () => surroundingsOf(log) });
	return {
		...opened,
		isReplay: false,
		misses: [],
		async [Symbol.asyncDispose]() {
			await recording.stop();
			await opened[Symbol.asyncDispose]();
		},
	};
}

function surroundingsOf(log: SessionManager): Parameters<typeof normalizer>[0] {
	return { cwd: log.getCwd(), home: dirs().home, sessionId: log.getSessionId(), date: startDate(log) };
}
