/** Gathers which files a conversation has read and changed. */
import type { AgentMessage } from "../types.ts";

export interface FileOperations {
	read: Set<string>;
	written: Set<string>;
	edited: Set<string>;
}

export interface FileLists {
	/** Those that were only read. */
	readFiles: string[];
	modifiedFiles: string[];
}

/** What a call does to files; the tools are the application's. */
export type FileAccess = (call: {
	readonly name: string;
	readonly arguments: Readonly<Record<string, unknown>>;
}) => readonly { kind: keyof FileOperations; path: string }[];

/** `earlier` are the lists of a summary of what came before. */
export function fileOperations(
	messages: readonly AgentMessage[],
	access: FileAccess,
	earlier?: FileLists,
): FileOperations {
	const operations: FileOperations = {
		read: new Set(earlier?.readFiles),
		written: new Set(),
		edited: new Set(earlier?.modifiedFiles),
	};
	const failed = new Set<string>();
	/** What calls ran with that were not run as the model wrote them. */
	const rewritten = new Map<string, Readonly<Record<string, unknown>>>();
	for (const message of messages) {
		if (message.role !== "toolResult") continue;
		if (message.isError) failed.add(message.toolCallId);
		if (message.rewritten) rewritten.set(message.toolCallId, message.rewritten.arguments);
	}
	for (const message of messages) {
		if (message.role !== "assistant") continue;
		for (const block of message.content) {
			if (block.type !== "toolCall" || failed.has(block.id)) continue;
			const { name, id, arguments: wrote } = block;
			const ran = { name, arguments: rewritten.get(id) ?? wrote };
			for (const { kind, path } of access(ran)) operations[kind].add(path);
		}
	}
	return operations;
}

export function fileLists({ read, written, edited }: FileOperations): FileLists {
	const modified = new Set([...written, ...edited]);
	return {
		readFiles: [...read].filter((path) => !modified.has(path)).toSorted(),
		modifiedFiles: [...modified].toSorted(),
	};
}

/** What a file of another program calls its lists may be anything. */
export function readFileLists(details: unknown): FileLists | undefined {
	if (typeof details !== "object" || details === null) return undefined;
	const { readFiles, modifiedFiles } = details as Partial<Record<keyof FileLists, unknown>>;
	return { readFiles: texts(readFiles), modifiedFiles: texts(modifiedFiles) };
}

function texts(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
