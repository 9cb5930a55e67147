/** Where code that runs in pages too reports what nobody waits for: the errors of a page, or the log of the program. */
type Report = (message: string, fields: Record<string, unknown>) => void;

let sink: Report = (message, fields) => reportError(new Error(`${message}: ${JSON.stringify(fields)}`));

/** A program with a log takes the reports. */
export function reportTo(next: Report): void {
	sink = next;
}

export const report: Report = (message, fields) => sink(message, fields);
