/** What Tau offers to language servers, and what it asks of those that it starts. */
import type { ClientCapabilities, SymbolKind } from "vscode-languageserver-protocol";

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
