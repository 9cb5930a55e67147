/** What Tau offers to language servers, and what their offers mean. */
import { isRecord } from "@tau/utils";
import type {
	ClientCapabilities,
	Registration,
	ServerCapabilities,
	SymbolKind,
	TextDocumentSyncOptions,
} from "vscode-languageserver-protocol";

import type { SyncKind } from "./documents.ts";
import type { Encoding } from "./positions.ts";

/** All kinds of symbols: the protocol numbers them from 1 on. */
const symbolKinds = Array.from({ length: 26 }, (_, at) => (at + 1) as SymbolKind);
const link = { dynamicRegistration: true, linkSupport: true } as const;

export const clientCapabilities = {
	general: {
		positionEncodings: ["utf-16", "utf-8", "utf-32"],
		staleRequestSupport: { cancel: true, retryOnContentModified: [] },
	},
	workspace: {
		applyEdit: true,
		workspaceFolders: true,
		configuration: true,
		didChangeConfiguration: { dynamicRegistration: true },
		didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
		symbol: {
			dynamicRegistration: true,
			symbolKind: { valueSet: symbolKinds },
			resolveSupport: { properties: ["location.range"] },
		},
		executeCommand: { dynamicRegistration: true },
		workspaceEdit: {
			documentChanges: true,
			resourceOperations: ["create", "rename", "delete"],
			failureHandling: "transactional",
			normalizesLineEndings: false,
			changeAnnotationSupport: { groupsOnLabel: true },
		},
		diagnostics: { refreshSupport: true },
		fileOperations: {
			dynamicRegistration: true,
			willRename: true,
			didRename: true,
			didCreate: true,
			didDelete: true,
		},
	},
	textDocument: {
		synchronization: { dynamicRegistration: true, didSave: true },
		publishDiagnostics: {
			relatedInformation: true,
			versionSupport: true,
			codeDescriptionSupport: true,
			dataSupport: true,
			tagSupport: { valueSet: [1, 2] },
		},
		diagnostic: { dynamicRegistration: true, relatedDocumentSupport: true },
		definition: link,
		typeDefinition: link,
		implementation: link,
		declaration: link,
		references: { dynamicRegistration: true },
		hover: { dynamicRegistration: true, contentFormat: ["markdown", "plaintext"] },
		documentSymbol: {
			dynamicRegistration: true,
			hierarchicalDocumentSymbolSupport: true,
			symbolKind: { valueSet: symbolKinds },
		},
		callHierarchy: { dynamicRegistration: true },
		typeHierarchy: { dynamicRegistration: true },
		rename: { dynamicRegistration: true, prepareSupport: true, prepareSupportDefaultBehavior: 1 },
		codeAction: {
			dynamicRegistration: true,
			isPreferredSupport: true,
			disabledSupport: true,
			dataSupport: true,
			resolveSupport: { properties: ["edit", "command"] },
			codeActionLiteralSupport: {
				codeActionKind: {
					valueSet: [
						"",
						"quickfix",
						"refactor",
						"refactor.extract",
						"refactor.inline",
						"refactor.rewrite",
						"source",
						"source.organizeImports",
						"source.fixAll",
					],
				},
			},
		},
		formatting: { dynamicRegistration: true },
		rangeFormatting: { dynamicRegistration: true },
	},
	window: {
		workDoneProgress: true,
		showMessage: { messageActionItem: { additionalPropertiesSupport: false } },
	},
} as const satisfies ClientCapabilities;

export function encodingOf({ positionEncoding }: ServerCapabilities): Encoding {
	return positionEncoding === "utf-8" || positionEncoding === "utf-32" ? positionEncoding : "utf-16";
}

export function syncOf({ textDocumentSync }: ServerCapabilities): { sync: SyncKind; saves: boolean } {
	const options: TextDocumentSyncOptions =
		typeof textDocumentSync === "number"
			? { openClose: true, change: textDocumentSync, save: true }
			: (textDocumentSync ?? { change: 0 });
	const sync = options.change === 2 ? "incremental" : options.change === 1 ? "full" : "none";
	return { sync, saves: Boolean(options.save) };
}

/** Those that have a name and a method; a server may send anything. */
export function registrationsIn(value: unknown): Registration[] {
	if (!Array.isArray(value)) return [];
	return value.filter(
		(one): one is Registration =>
			isRecord(one) && typeof one.id === "string" && typeof one.method === "string",
	);
}
