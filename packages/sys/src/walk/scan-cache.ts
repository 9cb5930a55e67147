/** Keeps the scans of directories for a moment, so that many questions about one tree walk it once. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

import { envNumber } from "@tau/utils";

import { limits } from "./limits.ts";
import { walk, type Walk, type WalkOptions } from "./walk.ts";

export interface ScanOptions extends Pick<WalkOptions, "root" | "signal"> {
	/** Also what begins with a dot; default false. */
	hidden?: boolean;
	/** Leave out what is ignored; default true. */
	gitignore?: boolean;
	/** A scan that is some moments old will do; default false. Nothing is kept without it. */
	cache?: boolean;
}

export interface Scan extends Walk {
	/** 0 for one that was made just now. */
	ageMs: number;
}

interface Kept {
	scan: Walk;
	madeAt: number;
}

/** How fresh is fresh enough. For all callers alike: no call has a freshness of its own. */
export interface ScanPolicy {
	ttlMs: number;
	emptyRecheckMs: number;
	maxScans: number;
}

export class ScanCache {
	readonly #kept = new Map<string, Kept>();
	readonly #policy: () => ScanPolicy;
	readonly #now: () => number;
	/** Counts invalidations: a walk that one of them overtook is not kept. */
	#changes = 0;

	constructor(policy: () => ScanPolicy = environmentPolicy, now: () => number = () => performance.now()) {
		this.#policy = policy;
		this.#now = now;
	}

	async scan(options: ScanOptions): Promise<Scan> {
		const { ttlMs } = this.#policy();
		if (!options.cache || ttlMs <= 0) return { ...(await walk(walkOptions(options))), ageMs: 0 };
		const key = keyOf(options);
		const kept = this.#kept.get(key);
		const ageMs = kept ? this.#now() - kept.madeAt : 0;
		if (kept && ageMs < ttlMs) return { ...kept.scan, ageMs };
		return this.#walkAndKeep(options, key);
	}

	/** `true` when nothing was found in a scan that is old enough for the thing to have come since. */
	isWorthRecheck({ ageMs }: Scan): boolean {
		return ageMs > 0 && ageMs >= this.#policy().emptyRecheckMs;
	}

	async rescan(options: ScanOptions): Promise<Scan> {
		return this.#walkAndKeep(options, keyOf(options));
	}

	/** Forgets the scans that hold `path`, which need not exist (any more); without a path all of them. */
	invalidate(path?: string): void {
		this.#changes++;
		if (path === undefined) return this.#kept.clear();
		const target = canonical(resolve(path));
		for (const [key, { scan }] of this.#kept) {
			const inside = scan.root.endsWith(sep) ? scan.root : scan.root + sep;
			if (target === scan.root || target.startsWith(inside)) this.#kept.delete(key);
		}
	}

	async #walkAndKeep(options: ScanOptions, key: string): Promise<Scan> {
		this.#kept.delete(key);
		const before = this.#changes;
		const madeAt = this.#now();
		const scan = await walk(walkOptions(options));
		if (before === this.#changes) this.#kept.set(key, { scan, madeAt });
		this.#evict();
		return { ...scan, ageMs: 0 };
	}

	/** A map keeps the order in which keys were set: the oldest scan is the first. */
	#evict(): void {
		for (const key of this.#kept.keys()) {
			if (this.#kept.size <= this.#policy().maxScans) return;
			this.#kept.delete(key);
		}
	}
}

/** The one that all of the process share. */
export const scans = new ScanCache();

/** To be called after something was written, moved or removed; a rename has two paths. */
export function invalidateScans(path?: string): void {
	scans.invalidate(path);
}

function environmentPolicy(): ScanPolicy {
	return {
		ttlMs: envNumber("FS_SCAN_CACHE_TTL_MS") ?? limits.cacheTtlMs,
		emptyRecheckMs: envNumber("FS_SCAN_EMPTY_RECHECK_MS") ?? limits.emptyRecheckMs,
		maxScans: envNumber("FS_SCAN_CACHE_MAX_ENTRIES") ?? limits.cacheScans,
	};
}

function walkOptions({ root, hidden = false, gitignore = true, signal }: ScanOptions): WalkOptions {
	return { root, hidden, gitignore, ...(signal ? { signal } : {}) };
}

function keyOf(options: ScanOptions): string {
	const { root, hidden, gitignore } = walkOptions(options);
	return `${Number(hidden)}${Number(gitignore)}${canonical(resolve(root))}`;
}

/** With links resolved as far as there is something: what was deleted is still known by its directory. */
function canonical(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// Gone, or not there yet.
		const directory = dirname(path);
		return directory === path ? path : join(canonical(directory), basename(path));
	}
}
