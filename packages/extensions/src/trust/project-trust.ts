/** Asks the user's extensions whether a project may be trusted, before any file of the project is loaded. */
import { readFileSync } from "node:fs";

import type { ProjectTrustResult } from "../api/event-types.ts";
import type { Extensions } from "../host/extensions.ts";
import type { LoadRequest } from "../host/loader.ts";
import { describeFailure } from "../support/failure.ts";
import { limits } from "../support/limits.ts";
import { withDeadline } from "../support/deadline.ts";
import type { ExtensionContext } from "../api/types.ts";
import { headlessUI } from "../ui/headless.ts";
import type { Discovery, DiscoveredExtension } from "../load/discover.ts";

/** There is no session yet, and no screen. */
type TrustContext = Pick<ExtensionContext, "cwd" | "mode" | "hasUI" | "ui">;
type TrustHandler = (event: { type: "project_trust"; cwd: string }, ctx: TrustContext) => unknown;

export interface TrustQuestion {
	request: LoadRequest;
	discovery: Discovery;
	mode: ExtensionContext["mode"];
	/** Loads extensions; injected, so that nothing is loaded without a handler. */
	load(request: LoadRequest): Promise<Extensions>;
}

/**
 * The first no decides; a yes has no effect, because only the user grants trust. Extensions that never mention the
 * event are not loaded for it.
 */
export async function refusal({
	request,
	discovery,
	mode,
	load,
}: TrustQuestion): Promise<{ remember: boolean } | undefined> {
	const discovered = discovery.extensions.filter(mentions);
	if (discovered.length === 0) return undefined;
	const nothing = { problems: [], untrusted: [], shadowed: [], disabled: [], ignored: [] };
	await using extensions = await load({ ...request, discovery: { ...nothing, extensions: discovered } });
	const ctx: TrustContext = { cwd: request.cwd, mode, hasUI: false, ui: headlessUI(request.onNotice) };
	for (const { handlers, path, label } of extensions.runner.extensions) {
		for (const handler of handlers.get("project_trust") ?? []) {
			const onSlow = (): void =>
				request.onNotice(`The extension ${label} is blocking on the project_trust event.`);
			try {
				// Of this event handlers are given less than of others.
				const answer = (handler as unknown as TrustHandler)({ type: "project_trust", cwd: request.cwd }, ctx);
				const decision = await withDeadline(Promise.resolve(answer), {
					slowMs: limits.slowHandlerMs,
					limitMs: limits.factoryMs,
					isPaused: () => false,
					onSlow,
				});
				if (saysNo(decision)) return { remember: decision.remember === true };
			} catch (error) {
				// An extension that fails has not approved the project; the user decides.
				request.onNotice(`${path} (project_trust): ${describeFailure(error, path)}`);
			}
		}
	}
	return undefined;
}

/** Code of the project itself is not asked. */
function mentions({ path, sourceInfo, toolKind, load }: DiscoveredExtension): boolean {
	if (sourceInfo.scope === "project" || toolKind !== undefined || load) return false;
	try {
		return readFileSync(path, "utf8").includes("project_trust");
	} catch {
		// The problem is reported when the extension is loaded.
		return false;
	}
}

function saysNo(answer: unknown): answer is ProjectTrustResult {
	return typeof answer === "object" && answer !== null && "trusted" in answer && answer.trusted === "no";
}
