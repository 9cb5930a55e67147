/** omp's small functions for readable text and numbers, and for JSON. */
import { stripControls, isRecord } from "@tau/utils";
import { stringify } from "yaml";

import { parseFrontmatter } from "../support/frontmatter.ts";
import { parseJsonWithRepair, parseStreamingJson, repairJson } from "../ai/json.ts";

const steps: readonly (readonly [name: string, ms: number])[] = [
	["d", 86_400_000],
	["h", 3_600_000],
	["m", 60_000],
	["s", 1000],
];

/** The two largest units that say something: `1h 5m`, `3.2s`, `120ms`. */
function formatDuration(ms: number): string {
	if (ms < 1000) return `${Math.round(ms)}ms`;
	if (ms < 60_000) return `${trimmed(ms / 1000)}s`;
	const at = steps.findIndex(([, unit]) => ms >= unit);
	const [name = "s", unit = 1000] = steps[at] ?? [];
	const [lower = "s", lowerUnit = 1000] = steps[at + 1] ?? [];
	const rest = Math.floor((ms % unit) / lowerUnit);
	return `${Math.floor(ms / unit)}${name}${rest > 0 ? ` ${rest}${lower}` : ""}`;
}

function formatNumber(value: number): string {
	const size = Math.abs(value);
	if (size < 1000) return String(value);
	if (size < 1_000_000) return `${trimmed(value / 1000)}K`;
	return size < 1_000_000_000 ? `${trimmed(value / 1_000_000)}M` : `${trimmed(value / 1_000_000_000)}B`;
}

function formatBytes(bytes: number): string {
	const units = ["B", "KB", "MB", "GB", "TB"];
	const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
	return `${at === 0 ? bytes : trimmed(bytes / 1024 ** at)}${units[at]}`;
}

/** One digit after the point, if it matters. */
function trimmed(value: number): string {
	return value.toFixed(1).replace(/\.0$/, "");
}

function formatAge(seconds: number | null | undefined): string {
	if (seconds === null || seconds === undefined) return "";
	if (seconds < 60) return "just now";
	const [name = "m", unit = 60_000] = steps.find(([, ms]) => seconds * 1000 >= ms) ?? [];
	return `${Math.floor((seconds * 1000) / unit)}${name} ago`;
}

function pluralize(label: string, count: number): string {
	return count === 1 ? label : `${label}s`;
}

function truncate(text: string, maxLength: number, ellipsis = "…"): string {
	if (text.length <= maxLength) return text;
	return text.slice(0, Math.max(0, maxLength - ellipsis.length)) + ellipsis;
}

function tryParseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// That is what was asked.
		return null;
	}
}

/** The same text for the same value, in whichever order its keys were written. */
function stableStringifyJson(value: unknown): string {
	return JSON.stringify(value, (_, inner: unknown) =>
		isRecord(inner)
			? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
			: inner,
	);
}

function escapeXmlText(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** An invalid version comes before every valid one. */
function compareVersions(one: string, other: string): number {
	const parts = (version: string): number[] =>
		version
			.replace(/^v/, "")
			.split(/[-+]/, 1)
			.flatMap((numbers) => numbers.split(".").map(Number));
	const [left, right] = [parts(one), parts(other)];
	for (let at = 0; at < Math.max(left.length, right.length); at++) {
		const difference = (left[at] || 0) - (right[at] || 0);
		if (difference !== 0) return Math.sign(difference);
	}
	return 0;
}

/** What extensions get of it. */
export const wordExports = {
	formatDuration,
	formatNumber,
	formatBytes,
	formatAge,
	pluralize,
	truncate,
	formatCount: (label: string, count: number) => `${count} ${pluralize(label, count)}`,
	formatPercent: (ratio: number) => `${trimmed(ratio * 100)}%`,
	countNewlines: (text: string) => text.split("\n").length - 1,
	tryParseJson,
	stringifyJson: (value: unknown, space?: string | number) => JSON.stringify(value, undefined, space),
	stableStringifyJson,
	structuredCloneJSON: (value: unknown): unknown => JSON.parse(JSON.stringify(value)),
	repairJson,
	parseJsonWithRepair,
	parseStreamingJson,
	parseFrontmatter,
	sanitizeText: (text: string) => stripControls(text),
	escapeXmlText,
	escapeXmlAttribute: (text: string) =>
		escapeXmlText(text).replaceAll('"', "&quot;").replaceAll("'", "&apos;"),
	stringifyYamlConfig: (value: unknown) => stringify(value),
	isRecord,
	asRecord: (value: unknown) => (isRecord(value) ? value : null),
	stringProperty: (value: object, key: string): string | undefined => {
		const found: unknown = Reflect.get(value, key);
		return typeof found === "string" ? found : undefined;
	},
	toError: (value: unknown) => (value instanceof Error ? value : new Error(String(value))),
	compareVersions,
};
