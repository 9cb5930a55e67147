/** Builds the system prompt. It holds nothing that changes within a day, so that providers can cache it. */
import { fill } from "./fill.ts";
import system from "./system.md" with { type: "text" };

export interface SystemPromptOptions {
	cwd: string;
	/** Takes the place of the built-in prompt. */
	replace?: string;
	append?: string;
}

export function systemPrompt({ cwd, replace, append }: SystemPromptOptions): string {
	const base =
		replace ??
		fill(system, {
			cwd,
			date: today(),
			platform: `${process.platform} ${process.arch}`,
		});
	return [base.trim(), append?.trim()].filter(Boolean).join("\n\n");
}

/** The person's day, not that of Greenwich. */
function today(): string {
	const now = new Date();
	return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
