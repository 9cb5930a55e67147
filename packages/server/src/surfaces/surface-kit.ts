/** What all surfaces of a session share: its renderers, its shortcuts, and the keys of the user. */
import type { AgentMessage } from "@tau/agent";
import type { FooterData } from "@tau/extensions/ui";
import { messageOf } from "@tau/log";
import type { SessionHost } from "@tau/session/host";
import { findRepository, readHead } from "@tau/sys";
import { frameLimits, type ComponentValues } from "@tau/wire";

import {
	entryMessage,
	entryRendererFor,
	keysFor,
	shortcutListener,
	Surface,
	useThemeOf,
	type CustomMessage,
	type SurfaceParts,
} from "@tau/interactive/surfaces";
import { knownCall } from "./known-call.ts";
import { limits } from "./limits.ts";
import type { Surfaces } from "./surfaces.ts";
import { valuesOf } from "./values.ts";

export interface SurfaceKit {
	readonly Surface: typeof Surface;
	values(): ComponentValues;
	readonly parts: Pick<SurfaceParts, "shown" | "keys" | "blocks" | "footerData" | "onShortcut">;
}

/** One for each session; the user's keys are read once. */
const kits = new WeakMap<Surfaces, Promise<SurfaceKit>>();

export function surfaceKit(surfaces: Surfaces): Promise<SurfaceKit> {
	const kit = kits.get(surfaces) ?? makeKit(surfaces);
	kits.set(surfaces, kit);
	return kit;
}

async function makeKit(surfaces: Surfaces): Promise<SurfaceKit> {
	const { host, extensions, agentDir } = surfaces.options;
	const keys = await keysFor(agentDir, surfaces.hasScreen);
	useThemeOf(surfaces);
	return {
		Surface,
		values: () => valuesOf(surfaces),
		parts: {
			shown: surfaces.shown,
			keys,
			footerData: () => footerData(surfaces),
			onShortcut: (data) => {
				const all = extensions();
				const editor = { isAtEditor: () => true, onShortcut: () => {} };
				return all && shortcutListener(all, editor)(data);
			},
			blocks: {
				get cwd() {
					return host.log.getCwd();
				},
				findRenderer: (name) => extensions()?.runner.toolRenderer(name),
				findMessageRenderer: (type) =>
					entryRendererFor(type, (name) => extensions()?.runner.entryRenderer(name)) ??
					extensions()?.runner.messageRenderer(type),
				call: (id) => knownCall(host, id),
				message: (type, timestamp) => knownMessage(host, type, timestamp),
			},
		},
	};
}

function footerData(surfaces: Surfaces): FooterData {
	const { shown, options } = surfaces;
	const { host } = options;
	const listeners = new Set<() => void>();
	let branch: string | null = null;
	let readAt = Number.NEGATIVE_INFINITY;
	const read = async (): Promise<void> => {
		readAt = performance.now();
		const found = await branchOf(host.log.getCwd());
		if (found === branch) return;
		branch = found;
		for (const listener of listeners) listener();
		surfaces.changed();
	};
	return {
		getGitBranch() {
			// A footer asks in each frame.
			if (performance.now() - readAt > limits.branchMs) void read();
			return branch;
		},
		getExtensionStatuses: () => shown.statuses,
		getAvailableProviderCount: () => new Set(host.models.available().map(({ provider }) => provider)).size,
		onBranchChange(callback) {
			listeners.add(callback);
			return () => void listeners.delete(callback);
		},
	};
}

async function branchOf(cwd: string): Promise<string | null> {
	const repository = await findRepository(cwd);
	return (repository && (await readHead(repository))?.branch) ?? null;
}

/** A message that an extension has put into the conversation, or an entry of the log that it draws. */
function knownMessage(
	{ session, log }: SessionHost,
	customType: string,
	timestamp: number,
): CustomMessage | undefined {
	const is = (message: AgentMessage): message is CustomMessage =>
		message.role === "custom" && message.customType === customType && message.timestamp === timestamp;
	const message = session.state.messages.findLast(is);
	if (message) return message;
	// One that was read from the log has the time of its entry.
	for (const { id, type } of log.getBranchHeads().slice(-frameLimits.tailEntries).toReversed()) {
		const entry = type === "custom_message" || type === "custom" ? log.getEntry(id) : undefined;
		const read = entry?.type === "custom" ? [entryMessage(entry)] : entry ? messageOf(entry) : [];
		const found = read.find(is);
		if (found) return found;
	}
	return undefined;
}
