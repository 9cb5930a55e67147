/** What all sessions have cost since midnight, by the usage lines of the day: each line is read once. */
import { closeSync, openSync } from "node:fs";

import { errorCode } from "@tau/utils";

import { readLines } from "./scan/read-lines.ts";
import { usageFile } from "./lines/usage-lines.ts";
import { nanosPerDollar } from "./lines/usage-line.ts";

export interface TodayCost {
	/** US dollars */
	readonly cost: number;
	/** Some of it was paid by a subscription: by the public price. */
	readonly isEstimate: boolean;
}

/** Lines of tools, and of models without a price, have none. */
const price = Buffer.from('"nanos":[');

export class TodayCosts {
	readonly #directory: string;
	/** Where each file was left. */
	readonly #offsets = new Map<string, number>();
	#since = 0;
	#nanos = 0;
	#isEstimate = false;

	constructor(directory: string) {
		this.#directory = directory;
	}

	/** Midnight is that of the user; files begin with a day in UTC. */
	read(now: number): TodayCost {
		const midnight = new Date(now).setHours(0, 0, 0, 0);
		if (midnight !== this.#since) {
			this.#since = midnight;
			this.#offsets.clear();
			this.#nanos = 0;
			this.#isEstimate = false;
		}
		for (const file of new Set([midnight, now].map((at) => usageFile(this.#directory, at)))) this.#add(file);
		return { cost: this.#nanos / nanosPerDollar, isEstimate: this.#isEstimate };
	}

	#add(path: string): void {
		const file = opened(path);
		if (file === undefined) return;
		try {
			const from = this.#offsets.get(path) ?? 0;
			const end = readLines(file, from, Number.MAX_SAFE_INTEGER, (bytes, start, stop) => {
				const line = bytes.subarray(start, stop);
				if (line.indexOf(price) >= 0) this.#count(line.toString());
			});
			this.#offsets.set(path, end);
		} finally {
			closeSync(file);
		}
	}

	#count(line: string): void {
		const [, at = "0"] = /"at":(\d+)/.exec(line) ?? [];
		const [, nanos = ""] = /"nanos":\[([\d,-]*)\]/.exec(line) ?? [];
		if (Number(at) < this.#since) return;
		for (const part of nanos.split(",")) this.#nanos += Number(part);
		this.#isEstimate ||= line.includes('"sub":1');
	}
}

/** Undefined before the first answer of the day. */
function opened(path: string): number | undefined {
	try {
		return openSync(path, "r");
	} catch (error) {
		if (errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
}
