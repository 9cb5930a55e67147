/** Follows links as programs do that see other files at some paths than this process. */
import { lstatSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";

import { errorCode } from "@tau/utils";

import { limits } from "./limits.ts";

export interface FollowOptions {
	/** The path under which this process sees what the programs see at `path`. */
	hostPath(path: string): string;
	/** Called for each link, with the path that it is at. */
	onLink?(path: string): void;
}

/** Resolves all links of a path as those programs would; what does not exist is left as it is. */
export function followPath(path: string, { hostPath, onLink }: FollowOptions): string {
	let steps = 0;
	let done = "/";
	const rest = resolve(path).split("/").filter(Boolean).toReversed();
	for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
		const next = join(done, name);
		const target = name === ".." ? undefined : linkTarget(hostPath(next));
		if (target === undefined) {
			done = next;
			continue;
		}
		if (++steps > limits.linkSteps)
			throw Object.assign(new Error(`${path}: too many links`), { code: "ELOOP" });
		onLink?.(next);
		if (target.startsWith("/")) done = "/";
		rest.push(...target.split("/").filter(Boolean).toReversed());
	}
	return done;
}

/** An opened directory, as which a tree is reached, only looks like a link. */
const opened = /^\/proc\/\d+\/fd\/\d+$/;

function linkTarget(path: string): string | undefined {
	if (opened.test(path)) return undefined;
	try {
		const info = lstatSync(path, { throwIfNoEntry: false });
		return info?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
	} catch (error) {
		if (errorCode(error) === "ENOTDIR") return undefined;
		throw error;
	}
}
