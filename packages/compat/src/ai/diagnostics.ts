/** Diagnostics of an answer, stored with it. */

interface ErrorInfo {
	name?: string;
	message: string;
	stack?: string;
	code?: string | number;
}

interface Diagnostic {
	type: string;
	timestamp: number;
	error?: ErrorInfo;
	details?: Record<string, unknown>;
}

export function formatThrownValue(value: unknown): string {
	if (value instanceof Error) return value.message || value.name;
	if (typeof value === "string") return value;
	try {
		return JSON.stringify(value) ?? String(value);
	} catch {
		// What goes in circles has no JSON.
		return String(value);
	}
}

export function extractDiagnosticError(error: unknown): ErrorInfo {
	if (!(error instanceof Error)) return { message: formatThrownValue(error) };
	const { name, stack } = error;
	const code = "code" in error ? error.code : undefined;
	return {
		name,
		message: formatThrownValue(error),
		...(stack === undefined ? {} : { stack }),
		...(typeof code === "string" || typeof code === "number" ? { code } : {}),
	};
}

function createAssistantMessageDiagnostic(
	type: string,
	error: unknown,
	details?: Record<string, unknown>,
): Diagnostic {
	return {
		type,
		timestamp: Date.now(),
		error: extractDiagnosticError(error),
		...(details ? { details } : {}),
	};
}

function appendAssistantMessageDiagnostic(
	message: { diagnostics?: Diagnostic[] },
	diagnostic: Diagnostic,
): void {
	message.diagnostics = [...(message.diagnostics ?? []), diagnostic];
}

/** What extensions get of it. */
export const diagnosticExports = {
	formatThrownValue,
	extractDiagnosticError,
	createAssistantMessageDiagnostic,
	appendAssistantMessageDiagnostic,
};
