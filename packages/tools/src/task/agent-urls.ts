/** `agent://<id>`: what an agent reported, or a part of it; while it runs, how far it is. */
import type { SessionSpawner } from "@tau/session/host";
import { isRecord, oneLine } from "@tau/utils";

import type { Resource, UrlHandler } from "../urls/router.ts";
import { limits } from "./limits.ts";
import { rowOf, rowText } from "./report.ts";

export function agentUrls(sessions: SessionSpawner): UrlHandler {
	return {
		form: "<id>",
		about: "the report of an agent; agent://<id>/path is a part of its data, agent:// lists all",
		resolve(rest) {
			const { tree } = sessions;
			const [, id = "", path = "", query] = /^([^/?]*)\/?([^?]*)(?:\?q=(.*))?$/s.exec(rest) ?? [];
			if (id === "") return { ok: true, text: listing(sessions) };
			if (path !== "" && query !== undefined) return refuse("Use either a path or ?q=, not both.");
			const output = tree.outputs.read(id);
			const info = tree.find(id);
			if (output === undefined && info) return { ok: true, text: `${rowText(rowOf(info))}\n` };
			if (output === undefined) return refuse(`Not found: ${shown(id)}. ${known(sessions)}`);
			const part = query === undefined ? path : decoded(query).replace(/^\./, "").replaceAll(".", "/");
			return part === "" ? { ok: true, text: `${output}\n` } : partOf(output, id, part);
		},
	};
}

function partOf(output: string, id: string, path: string): Resource {
	let value: unknown;
	try {
		value = JSON.parse(output);
	} catch {
		return refuse(`The report of ${shown(id)} is text, not data: read agent://${shown(id)} instead.`);
	}
	for (const key of path.split(/[/[\]]+/).filter(Boolean)) {
		const name = decoded(key);
		const isList = Array.isArray(value);
		if (!(isList || isRecord(value)) || !Object.hasOwn(value as object, name)) {
			const keys = isList
				? `${(value as unknown[]).length} items`
				: isRecord(value)
					? Object.keys(value).join(", ")
					: "a single value";
			return refuse(`${shown(id)} has no ${shown(name)} there. There is: ${oneLine(keys, limits.rowChars)}.`);
		}
		value = (value as Record<string, unknown>)[name];
	}
	const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
	return { ok: true, text: `${text}\n` };
}

function listing(sessions: SessionSpawner): string {
	const { all, outputs } = sessions.tree;
	const rows = all.map((info) => rowText(rowOf(info)));
	const others = outputs.list().filter((id) => all.every((info) => info.id !== id));
	return [...rows, ...others.map((id) => `${id} ended earlier`)].join("\n") + "\n";
}

function known({ tree }: SessionSpawner): string {
	const ids = [...new Set([...tree.all.map(({ id }) => id), ...tree.outputs.list()])];
	return ids.length === 0
		? "No agent has been started."
		: `Agents: ${oneLine(ids.join(", "), limits.rowChars)}.`;
}

function refuse(reason: string): Resource {
	return { ok: false, reason };
}

function shown(text: string): string {
	return oneLine(text, limits.shownChars);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		// A lone percent sign is one.
		return text;
	}
}
