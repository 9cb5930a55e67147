/** What belongs together in a transcript of Claude Code: an answer with its results, a prompt, a compaction. */

/** A line, as far as it says anything. */
export interface ClaudeRecord {
	type: string;
	uuid: string;
	/** Empty for the first. */
	parentUuid: string;
	timestamp: string | undefined;
	/** A message to or from a subagent. */
	isSidechain: boolean;
	/** A message of the program to the model. */
	isMeta: boolean;
	isCompactSummary: boolean;
	/** The answer of a server that failed. */
	isFailure: boolean;
	message: Record<string, unknown>;
	dollars: unknown;
	tokensBefore: unknown;
}

export class ClaudeNode {
	readonly first: ClaudeRecord;
	/** Its position in the file. */
	order = 0;
	readonly #more: ClaudeRecord[] = [];

	constructor(first: ClaudeRecord) {
		this.first = first;
	}

	add(line: ClaudeRecord): void {
		this.#more.push(line);
	}

	get lines(): readonly ClaudeRecord[] {
		return [this.first, ...this.#more];
	}

	get isSidechain(): boolean {
		return this.first.isSidechain;
	}

	/** Of a compaction. */
	get isBoundary(): boolean {
		return this.first.type === "system";
	}

	get hasSummary(): boolean {
		return this.lines.some(({ isCompactSummary }) => isCompactSummary);
	}
}
