/** What Tau may ask of the editor: the selection, open editors, diagnostics, files and diffs. */
const severities = ["Error", "Warning", "Information", "Hint"];

export function editorTools(vscode, diffs) {
	let latest;

	/** The selection of the active editor, if it shows a file. */
	const selection = () => {
		const editor = vscode.window.activeTextEditor;
		if (editor?.document.uri.scheme !== "file") return undefined;
		const { document, selection: range } = editor;
		const { start, end, isEmpty } = range;
		latest = {
			text: document.getText(range),
			filePath: document.uri.fsPath,
			fileUrl: document.uri.toString(),
			selection: { start: positionOf(start), end: positionOf(end), isEmpty },
		};
		return latest;
	};

	const json = (value) => [JSON.stringify(value)];

	const byName = {
		getCurrentSelection: () =>
			json({ success: true, ...(selection() ?? { success: false, message: "No active editor found" }) }),
		getLatestSelection: () =>
			json(latest ? { success: true, ...latest } : { success: false, message: "No selection available" }),
		getOpenEditors: () => json({ tabs: openTabs(vscode) }),
		getWorkspaceFolders: () => {
			const folders = (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
				name,
				uri: uri.toString(),
				path: uri.fsPath,
			}));
			return json({ success: true, folders, rootPath: folders[0]?.path });
		},
		getDiagnostics: ({ uri }) => json(diagnosticsOf(vscode, uri)),
		openFile: async ({ filePath, preview = false, makeFrontmost = true }) => {
			const document = await vscode.workspace.openTextDocument(vscode.Uri.file(filePath));
			await vscode.window.showTextDocument(document, { preview, preserveFocus: !makeFrontmost });
			return [`Opened file: ${filePath}`];
		},
		checkDocumentDirty: ({ filePath }) => json(documentState(vscode, filePath)),
		saveDocument: async ({ filePath }) => {
			const document = openDocument(vscode, filePath);
			if (!document) return json({ success: false, message: `Document not open: ${filePath}` });
			return json({ success: true, filePath, saved: await document.save() });
		},
		openDiff: ({ old_file_path: before, new_file_path: after, new_file_contents: text, tab_name: title }) =>
			diffs.open({ before, after, text, title }),
		close_tab: async ({ tab_name: title }) => {
			await diffs.close(title);
			return ["TAB_CLOSED"];
		},
		closeAllDiffTabs: async () => [`CLOSED_${await diffs.closeAll()}_DIFF_TABS`],
	};

	const mention = () => {
		const current = selection();
		if (!current) return undefined;
		const { start, end, isEmpty } = current.selection;
		return { filePath: current.filePath, ...(isEmpty ? {} : { lineStart: start.line, lineEnd: end.line }) };
	};

	return { byName, selection, mention };
}

function positionOf({ line, character }) {
	return { line, character };
}

function openTabs(vscode) {
	return vscode.window.tabGroups.all.flatMap((group) =>
		group.tabs.flatMap((tab) => {
			const uri = tab.input?.uri;
			if (!uri) return [];
			const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
			return [
				{
					uri: uri.toString(),
					isActive: tab.isActive && group.isActive,
					label: tab.label,
					languageId: document?.languageId,
					isDirty: tab.isDirty,
				},
			];
		}),
	);
}

function diagnosticsOf(vscode, uri) {
	const files =
		uri === undefined
			? vscode.languages.getDiagnostics()
			: [[vscode.Uri.parse(uri), vscode.languages.getDiagnostics(vscode.Uri.parse(uri))]];
	return files
		.filter(([, diagnostics]) => diagnostics.length > 0)
		.map(([file, diagnostics]) => ({
			uri: file.toString(),
			diagnostics: diagnostics.map(({ message, severity, range, source, code }) => ({
				message,
				severity: severities[severity] ?? "Information",
				range: { start: positionOf(range.start), end: positionOf(range.end) },
				source,
				code: typeof code === "object" ? String(code.value) : code,
			})),
		}));
}

function openDocument(vscode, filePath) {
	return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "file" && uri.fsPath === filePath);
}

function documentState(vscode, filePath) {
	const document = openDocument(vscode, filePath);
	if (!document) return { success: false, message: `Document not open: ${filePath}` };
	return { success: true, filePath, isDirty: document.isDirty, isUntitled: document.isUntitled };
}
