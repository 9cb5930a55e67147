/** Every setting of compaction has the default that omp documents, and reaches the compactor as soon as it changes. */
import { expect, test } from "bun:test";

import { testModel } from "@tau/ai/testing";

import type { CompactionSettings } from "../compaction/settings.ts";
import { ModelRegistry } from "@tau/config/models";
import { Settings, type SettingPath } from "@tau/config/settings";
import { liveCompaction } from "./live-settings.ts";

const nowhere = "/dev/null/tau";
const registry = new ModelRegistry({ path: "", providers: new Map(), problems: [] }, {});

async function live(values: Record<string, unknown>): Promise<CompactionSettings> {
	const settings = await Settings.load({ cwd: nowhere, agentDir: nowhere });
	for (const [path, value] of Object.entries(values))
		expect(await settings.setUnchecked(path, value, "session")).toMatchObject({ ok: true });
	return liveCompaction(settings, true, registry, () => testModel({ provider: "played", id: "small-1" }));
}

const defaults: [SettingPath, unknown][] = [
	["compaction.enabled", true],
	["compaction.strategy", "context-full"],
	["compaction.reserveTokens", 16_384],
	["compaction.keepRecentTokens", 20_000],
	["compaction.autoContinue", true],
	["compaction.dropUseless", true],
	["compaction.remoteEnabled", true],
	["compaction.remoteEndpoint", undefined],
	["compaction.thresholdPercent", -1],
	["compaction.thresholdTokens", -1],
	["compaction.idleEnabled", false],
	["compaction.idleThresholdTokens", 200_000],
	["compaction.idleTimeoutSeconds", 300],
	["branchSummary.enabled", false],
	["branchSummary.reserveTokens", 16_384],
	["contextPromotion.enabled", true],
	["snapcompact.shape", "auto"],
];

test.each(defaults)("%s has omp's default", async (path, value) => {
	const settings = await Settings.load({ cwd: nowhere, agentDir: nowhere });
	expect<unknown>(settings.get(path)).toEqual(value);
});

const idle = { "compaction.idleEnabled": true };
const endpoint = { "compaction.remoteEndpoint": "http://x" };
const mapped: [Record<string, unknown>, keyof CompactionSettings, unknown][] = [
	[{}, "enabled", true],
	[{ "compaction.enabled": false }, "enabled", false],
	[{ "compaction.strategy": "off" }, "enabled", false],
	[{ "compaction.strategy": "snapcompact" }, "strategy", "snapcompact"],
	[{ "compaction.strategy": "shake" }, "strategy", "shake"],
	[{ "compaction.strategy": "handoff" }, "strategy", "handoff"],
	[{ "compaction.reserveTokens": 7 }, "reserveTokens", 7],
	[{ "compaction.keepRecentTokens": 7 }, "keepRecentTokens", 7],
	[{ "compaction.thresholdPercent": 7 }, "thresholdPercent", 7],
	[{ "compaction.thresholdTokens": 7 }, "thresholdTokens", 7],
	[{ "compaction.autoContinue": false }, "autoContinue", false],
	[{ "compaction.dropUseless": false }, "dropUseless", false],
	[{}, "idle", undefined],
	[idle, "idle", { thresholdTokens: 200_000, timeoutSeconds: 300 }],
	[
		{ ...idle, "compaction.idleThresholdTokens": 7, "compaction.idleTimeoutSeconds": 8 },
		"idle",
		{ thresholdTokens: 7, timeoutSeconds: 8 },
	],
	[endpoint, "remoteEndpoint", "http://x"],
	[{ ...endpoint, "compaction.remoteEnabled": false }, "remoteEndpoint", undefined],
	[{}, "providerNative", false],
	[{ "compaction.providerNative": true }, "providerNative", true],
	[{ "compaction.providerNative": true, "compaction.remoteEnabled": false }, "providerNative", false],
	[{}, "shape", undefined],
	[{ "snapcompact.shape": "8x13-bw" }, "shape", "8x13-bw"],
	[{ "branchSummary.reserveTokens": 7 }, "branchReserveTokens", 7],
	[{ "compaction.perModel": { "played/*": { keepRecentTokens: 7 } } }, "keepRecentTokens", 7],
	[{ "compaction.perModel": { "small-?": { strategy: "off" } } }, "enabled", false],
	[{ "compaction.perModel": { "other/*": { keepRecentTokens: 7 } } }, "keepRecentTokens", 20_000],
	[
		{ "compaction.perModel": { "*": { keepRecentTokens: 7 }, "played/*": { keepRecentTokens: 8 } } },
		"keepRecentTokens",
		7,
	],
];

test.each(mapped)("%j: %s", async (values, name, value) => {
	expect((await live(values))[name]).toEqual(value as never);
});

test("an override of a setting that does not exist is refused", async () => {
	const settings = await Settings.load({ cwd: nowhere, agentDir: nowhere });
	const outcome = await settings.setUnchecked("compaction.perModel", { x: { keepRecent: 1 } }, "session");
	expect(outcome.ok).toBeFalse();
});
