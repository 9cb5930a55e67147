/** Queries SQLite databases in a worker process, because nothing else can stop a query that takes too long. */
import { WorkerStopped } from "../worker/index.ts";
import { uriOf, type DatabaseAnswer, type DatabaseFile, type DatabaseQuestion } from "../sqlite/index.ts";
import { limits } from "./limits.ts";
import { parsers } from "./parsers.ts";

/** Rejects with the reason of the signal; every other failure is an answer with a code. */
export async function queryDatabase(
	database: DatabaseFile,
	question: DatabaseQuestion,
	signal: AbortSignal,
	timeoutMs: number = limits.database.ms,
): Promise<DatabaseAnswer> {
	const options = { limits: { ...limits.database, ms: timeoutMs }, signal };
	try {
		return await parsers.run("database", [uriOf(database), database.path, question], options);
	} catch (error) {
		if (!(error instanceof WorkerStopped)) throw error;
		return { ok: false, code: codes[error.limit], message: `the query was stopped: ${error.message}` };
	}
}

const codes = {
	time: "TIMEOUT",
	memory: "TOO_LARGE",
	answer: "TOO_LARGE",
	crash: "FAILED",
	start: "FAILED",
} as const;
