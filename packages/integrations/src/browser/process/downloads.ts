/** The downloads of a browser: bounded, and stored as artifacts of the session. */
import { join } from "node:path";

import type { MachineFiles } from "@tau/sys";
import { listen, oneLine, timer } from "@tau/utils";
import type { CDPSession } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { humanSize } from "@tau/tools/read";
import { limits } from "../limits.ts";
import type { ToolEnv } from "@tau/tools/tool";

interface DownloadEnv {
	readonly artifacts: ToolEnv["artifacts"];
	/** Of where the browser runs. */
	readonly files: Pick<MachineFiles, "open">;
}

interface Download {
	readonly name: string;
	readonly at: number;
	bytes: number;
	isDone: boolean;
	/** What a result says about it, once it has ended. */
	report?: string;
}

export class Downloads {
	readonly #env: DownloadEnv;
	readonly #session: CDPSession;
	readonly #directory: string;
	readonly #all = new Map<string, Download>();
	#waiting: (() => void)[] = [];
	#stored = 0;

	constructor(env: DownloadEnv, session: CDPSession, profile: string) {
		this.#env = env;
		this.#session = session;
		this.#directory = join(profile, "downloads");
		session.on("Browser.downloadWillBegin", ({ guid, suggestedFilename }) => {
			const name = oneLine(suggestedFilename, limits.titleChars);
			this.#all.set(guid, { name, at: performance.now(), bytes: 0, isDone: false });
			if (this.#all.size > limits.downloads) void this.#stop(guid, "too many downloads");
		});
		session.on("Browser.downloadProgress", ({ guid, state, receivedBytes, totalBytes }) => {
			const download = this.#all.get(guid);
			if (!download || download.isDone) return;
			download.bytes = receivedBytes;
			const size = Math.max(receivedBytes, totalBytes);
			if (state === "completed") void this.#store(guid, download);
			else if (state === "canceled") this.#end(download, "it was canceled");
			else if (size > this.#room) void this.#stop(guid, `it has more than ${humanSize(this.#room)}`);
		});
	}

	async listen(): Promise<void> {
		await this.#session.send("Browser.setDownloadBehavior", {
			behavior: "allowAndName",
			downloadPath: this.#directory,
			eventsEnabled: true,
		});
	}

	/** Those that have begun since a time and are still open. */
	isOpenSince(at: number): boolean {
		return [...this.#all.values()].some((each) => !each.isDone && each.at >= at);
	}

	hasBegunSince(at: number): boolean {
		return [...this.#all.values()].some((each) => each.at >= at);
	}

	/** Resolves when one begins or ends, or after so long. */
	async nextChange(ms: number, signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#waiting.push(resolve);
		using _late = timer(ms, resolve);
		using _aborted = listen(signal, "abort", () => resolve());
		await promise;
		signal.throwIfAborted();
	}

	/** Resolves when all that have begun since a time have ended, or after so long. */
	async ended(since: number, ms: number, signal: AbortSignal): Promise<void> {
		const end = performance.now() + ms;
		for (let left = ms; left > 0 && this.isOpenSince(since); left = end - performance.now())
			await this.nextChange(left, signal);
	}

	/** What has ended since the last call. */
	takeReports(): string[] {
		const reports: string[] = [];
		for (const [guid, { isDone, report }] of this.#all)
			if (isDone) {
				if (report !== undefined) reports.push(report);
				this.#all.delete(guid);
			}
		return reports;
	}

	get #room(): number {
		return Math.min(limits.downloadBytes, limits.allDownloadBytes - this.#stored);
	}

	async #stop(guid: string, why: string): Promise<void> {
		const download = this.#all.get(guid);
		if (!download) return;
		this.#end(download, why);
		// It may have ended by itself.
		await this.#session.send("Browser.cancelDownload", { guid }).catch(() => {});
	}

	#end(download: Download, why: string): void {
		download.isDone = true;
		download.report = `${download.name} was not downloaded: ${why}.`;
		this.#changed();
	}

	async #store(guid: string, download: Download): Promise<void> {
		this.#stored += download.bytes;
		try {
			const id = await this.#copy(join(this.#directory, guid));
			download.report = `Downloaded ${download.name} (${humanSize(download.bytes)}): artifact://${id}`;
		} catch (error) {
			download.report = `${download.name} was downloaded, but not stored: ${error instanceof Error ? error.message : String(error)}.`;
		}
		download.isDone = true;
		this.#changed();
	}

	async #copy(path: string): Promise<string> {
		await using file = await this.#env.files.open(path, AbortSignal.timeout(limits.downloadMs));
		if (!file) throw new Error("it is not a file");
		using artifact = this.#env.artifacts.open("download");
		const buffer = new Uint8Array(limits.copyBytes);
		for (let at = 0; ;) {
			const read = await file.readInto(buffer, at);
			artifact.write(buffer.subarray(0, read));
			at += read;
			if (read < buffer.length) break;
		}
		if (artifact.lost > 0) throw new Error("the disk has no room for it");
		return artifact.id;
	}

	#changed(): void {
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const resolve of waiting) resolve();
	}
}
