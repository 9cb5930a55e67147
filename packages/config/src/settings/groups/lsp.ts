/** Settings about language servers. */
import { group, toggle } from "../setting.ts";

export const lsp = {
	"lsp.enabled": toggle({
		description: "Use language servers: the tool lsp, and diagnostics after edits.",
		default: true,
		notForProjects: "it controls which programs run",
	}),
	"lsp.diagnosticsOnWrite": toggle({
		description:
			"Add new errors of the changed files to the results of edits. Only servers that run already, or start quickly, are asked.",
		default: true,
	}),
	"lsp.formatOnWrite": toggle({
		description: "Format files that the model has written, as the language server does it.",
		default: false,
	}),
	"lsp.footer": toggle({
		description: "Show in the footer how many errors and warnings the files have that servers have open.",
		default: false,
	}),
	"lsp.shareServers": toggle({
		description: "Use the language servers that another Tau has started for the same project.",
		default: true,
		notForProjects: "it connects sessions with one another",
	}),
	"lsp.servers": group({
		description:
			"Language servers by name: command, args, files (extension: language), roots, initializationOptions, settings, or disabled: true. A known name changes that server.",
		notForProjects: "it names programs to run",
	}),
};
