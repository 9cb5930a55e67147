/** Imports one session of another program. */
import { statSync } from "node:fs";
import { dirname } from "node:path";

import { readClaude } from "./claude.ts";
import { readCodex } from "./codex.ts";
import { detect, programNames, type Program } from "./detect.ts";
import { readGemini } from "./gemini.ts";
import { keepTranscript, type StoredTranscript } from "./keep-transcript.ts";
import { isInDatabase, readOpencode } from "./opencode.ts";
import { sourceLines } from "./source-lines.ts";
import type { SourceFile, Transcript } from "./transcript.ts";

export interface ImportOptions {
	/** Whose it is; looked for in the file by default. */
	from?: Program | undefined;
	/** The directory of sessions if it is not the usual one. */
	directory?: string | undefined;
	/** The file of an existing session, by its id. */
	existing(id: string): string | undefined;
}

export type ImportOutcome =
	| (StoredTranscript & {
			program: Program;
			id: string;
			entries: number;
			unknown: ReadonlyMap<string, number>;
	  })
	/** It contains no session that can be imported. */
	| { kind: "passed over"; reason: string };

const readers: Readonly<Record<Program, (file: SourceFile) => Transcript>> = {
	claude: (file) => readClaude(sourceLines(file.path), file),
	codex: (file) => readCodex(sourceLines(file.path), file),
	gemini: readGemini,
	opencode: readOpencode,
};

/** Throws what the file system says. The source is only read. */
export function importFile(path: string, { from, directory, existing }: ImportOptions): ImportOutcome {
	const program = from ?? detect(path);
	if (program === undefined) {
		const isEmpty = statSync(path).size === 0;
		return {
			kind: "passed over",
			reason: isEmpty ? "the file is empty" : `not a session of ${programNames}`,
		};
	}
	if (program === "session") {
		return { kind: "passed over", reason: "a session of Tau, pi or omp; open it with --session" };
	}
	const { mtime: modified } = statSync(isInDatabase(path) ? dirname(path) : path);
	const transcript = readers[program]({ path, modified });
	const { id, entries, unknown } = transcript;
	if (!entries.some(({ fields }) => fields.type === "message")) {
		return { kind: "passed over", reason: "it has no messages" };
	}
	const storedTranscript = keepTranscript(transcript, {
		program,
		file: path,
		directory,
		existing: existing(id),
	});
	return { ...storedTranscript, program, id, entries: entries.length, unknown };
}
