/** `tau plugin features`: shows the parts of a package that can be left out, and chooses among them. */
import { readManifest, type Manifest, rootOf } from "@tau/extensions/packages";
import { changePackage, chooseFeatures } from "@tau/extensions/packages/install";

import { UsageError } from "@tau/utils";
import type { Args } from "../../args.ts";
import type { PluginRequest } from "./command.ts";
import { failed, hintAtScope, optionsOf, packageNamed } from "./named.ts";
import { jsonLine, printed } from "../sessions/output.ts";

export async function features(request: PluginRequest): Promise<number> {
	const { operands, args, home } = request;
	const [name, ...more] = operands;
	if (name === undefined || more.length > 0) throw new UsageError("Usage: tau plugin features <name>");
	const one = packageNamed(home, name);
	if (!one.ok) return failed(hintAtScope(one.reason, [name], request));
	const read = readManifest(rootOf(home, one.entry));
	if (!read.ok) return failed(read.reason);
	const { manifest } = read;
	const wanted = wantedOf(args, manifest, one.entry.enabledFeatures);
	if (wanted === undefined) return show(request, name, manifest, one.entry.enabledFeatures);
	const done = await changePackage(name, optionsOf(request), (entry) => ({
		entry: { ...entry, enabledFeatures: chooseFeatures(name, manifest, wanted) },
	}));
	return done.ok ? show(request, name, manifest, done.value.enabledFeatures) : failed(done.reason);
}

/** Returns undefined when no flag requests a change. */
function wantedOf(
	{ flags }: Args,
	{ features: all }: Manifest,
	chosen: readonly string[] | null,
): string[] | undefined {
	if (!(["set", "enable", "disable"] as const).some((flag) => flags.has(flag))) return undefined;
	const named = (flag: "set" | "enable" | "disable"): string[] => listIn(flags.get(flag) ?? "");
	const byDefault = [...all].flatMap(([key, { isDefault }]) => (isDefault ? [key] : []));
	const on = new Set(flags.has("set") ? named("set") : (chosen ?? byDefault));
	for (const key of named("enable")) on.add(key);
	for (const key of named("disable")) on.delete(key);
	return [...on];
}

function show(
	{ isJson }: PluginRequest,
	name: string,
	{ features: all }: Manifest,
	chosen: readonly string[] | null,
): Promise<number> {
	const rows = [...all].map(([key, { isDefault, description = "" }]) => ({
		name: key,
		enabled: chosen === null ? isDefault : chosen.includes(key),
		default: isDefault,
		description,
	}));
	if (isJson) return printed(rows.map(jsonLine).join(""));
	if (rows.length === 0) return printed(`${name} has no optional features.\n`);
	const lines = rows.map(({ enabled, name: key, description }) =>
		`${enabled ? "on " : "off"}  ${key}  ${description}`.trimEnd(),
	);
	return printed(`${lines.join("\n")}\n`);
}

function listIn(text: string): string[] {
	return text
		.split(",")
		.map((word) => word.trim())
		.filter((word) => word !== "");
}
