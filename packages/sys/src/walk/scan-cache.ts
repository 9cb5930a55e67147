/** Caches the scans of directories for a moment, so that many queries about one tree walk it once. */
import { basename, dirname, join, resolve, sep } from "node:path";

import { envNumber } from "@tau/utils";

import { limits } from "./limits.ts";
import { realPath } from "./real-path.ts";
import { walk, type Walk, type WalkOptions } from "./walk.ts";

export interface ScanOptions extends Pick<WalkOptions, "root" | "signal"> {
	/** Include names that begin with a dot; default false. */
	hidden?: boolean;
	/** Leave out ignored files; default true. */
	gitignore?: boolean;
	/** The root has no links: if it leads elsewhere now, it is not read. */
	isUnlinked?: boolean;
	/** Allow a cached scan; default false. Without it the scan is not cached. */
	cache?: boolean;
}

export interface Scan extends Walk {
	/** 0 for a new scan. */
	ageMs: number;
}

interface CachedScan {
	scan: Walk;
	madeAt: number;
}

/** How fresh a scan has to be. The policy is the same for all callers. */
export interface ScanPolicy {
	ttlMs: number;
	emptyRecheckMs: number;
	maxScans: number;
}

export class ScanCache {
	readonly #scans = new Map<string, CachedScan>();
	readonly #policy: () => ScanPolicy;
	readonly #now: () => number;
	/** Counts invalidations: a walk during which one happened is not cached. */
	#changes = 0;

	constructor(policy: () => ScanPolicy = environmentPolicy, now: () => number = () => performance.now()) {
		this.#policy = policy;
		this.#now = now;
	}

	async scan(options: ScanOptions): Promise<Scan> {
		const { ttlMs } = this.#policy();
		if (!options.cache || ttlMs <= 0) return { ...(await walk(walkOptions(options))), ageMs: 0 };
		const key = keyOf(options);
		const cached = this.#scans.get(key);
		const ageMs = cached ? this.#now() - cached.madeAt : 0;
		if (cached && ageMs < ttlMs) return { ...cached.scan, ageMs };
		return this.#walkAndKeep(options, key);
	}

	/** True when a scan without a result is old enough for the file to be new. */
	isWorthRecheck({ ageMs }: Scan): boolean {
		return ageMs > 0 && ageMs >= this.#policy().emptyRecheckMs;
	}

	async rescan(options: ScanOptions): Promise<Scan> {
		return this.#walkAndKeep(options, keyOf(options));
	}

	/** Drops the scans that contain `path`, which need not exist (any more); without a path all of them. */
	invalidate(path?: string): void {
		this.#changes++;
		if (path === undefined) return this.#scans.clear();
		const target = canonical(resolve(path));
		for (const [key, { scan }] of this.#scans) {
			const inside = scan.root.endsWith(sep) ? scan.root : scan.root + sep;
			if (target === scan.root || target.startsWith(inside)) this.#scans.delete(key);
		}
	}

	async #walkAndKeep(options: ScanOptions, key: string): Promise<Scan> {
		this.#scans.delete(key);
		const before = this.#changes;
		const madeAt = this.#now();
		const scan = await walk(walkOptions(options));
		if (before === this.#changes) this.#scans.set(key, { scan, madeAt });
		this.#evict();
		return { ...scan, ageMs: 0 };
	}

	/** A map keeps the order in which keys were set: the oldest scan is the first. */
	#evict(): void {
		for (const key of this.#scans.keys()) {
			if (this.#scans.size <= this.#policy().maxScans) return;
			this.#scans.delete(key);
		}
	}
}

/** The cache that the whole process shares. */
export const scans = new ScanCache();

/** Must be called after a file was written, moved or removed; a rename has two paths. */
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

function walkOptions({
	root,
	hidden = false,
	gitignore = true,
	isUnlinked = false,
	signal,
}: ScanOptions): WalkOptions {
	return { root, hidden, gitignore, isUnlinked, ...(signal ? { signal } : {}) };
}

function keyOf(options: ScanOptions): string {
	const { root, hidden, gitignore, isUnlinked } = walkOptions(options);
	return `${Number(hidden)}${Number(gitignore)}${isUnlinked ? root : canonical(resolve(root))}`;
}

/** Resolves links as far as the path exists: a deleted file is still known by its directory. */
function canonical(path: string): string {
	try {
		return realPath(path);
	} catch {
		// The path does not exist.
		const directory = dirname(path);
		return directory === path ? path : join(canonical(directory), basename(path));
	}
}
