/**
 * The settings of a repository with which git may run unasked where nothing contains it (`harmless-settings.json`): those that
 * git itself and what works with it write, and with which commands that read start no program and read no other file. This
 * is a closed list: a setting that is not there, or has another value, is asked about.
 */
import source from "./harmless-settings.json" with { type: "json" };
import { isUnreadable } from "./real-path.ts";

/** Of `any`, no reading command uses the value as anything but text. */
type Kind = "any" | "plain" | "file" | RegExp;

const plain = /^[\w .,:;+%*=#@!^~-]*$/;

const exact = new Map<string, Kind>();
const patterns: (readonly [RegExp, Kind])[] = [];

function add(names: readonly string[], kind: Kind): void {
	for (const name of names.flatMap((line) => line.split(" "))) {
		if (!name.includes("*")) exact.set(name, kind);
		else patterns.push([new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", "[^]*")}$`), kind]);
	}
}

add(source.any, "any");
add(source.plain, "plain");
add(source.files, "file");
for (const [name, value] of Object.entries(source.values)) add([name], new RegExp(`^(?:${value})$`, "i"));

function kindOf(name: string): Kind | undefined {
	return exact.get(name) ?? patterns.find(([pattern]) => pattern.test(name))?.[1];
}

/** `file`: if the file that it names is the project's. */
export function isHarmless(name: string, value: string): boolean | "file" {
	const kind = kindOf(name);
	if (kind === "file" && !isOrdinaryPath(value)) return false;
	if (kind === "file") return value === "" || "file";
	if (kind === "plain") return plain.test(value);
	return kind === "any" || (kind !== undefined && kind.test(value));
}

/**
 * Git has directories of its own that a path may begin with: `%(prefix)/../root`, `~ann`, `:(optional)x`. What is not text is
 * a path that only git finds.
 */
export function isOrdinaryPath(value: string): boolean {
	return !/^(?:%\(|:\(|~[^/])/.test(value) && !isUnreadable(value);
}
