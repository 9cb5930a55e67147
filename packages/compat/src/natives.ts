/** What extensions get when they import omp's package of native code: the functions that Tau has without it. */
import { copyText, htmlToMarkdown } from "@tau/sys";
import { matchesKey, parseKey, visibleWidth, wrapTextWithAnsi, type KeyId } from "@tau/tui";
import { log } from "@tau/utils";

export const nativeExports = {
	/** omp's does not wait. */
	copyToClipboard(text: string): void {
		copyText(text).catch((error: unknown) => log.warn("nothing was copied", { reason: String(error) }));
	},
	htmlToMarkdown: async (html: string): Promise<string> => (await htmlToMarkdown(html)).markdown,
	matchesKey: (data: string, keyId: KeyId): boolean => matchesKey(data, keyId),
	parseKey: (data: string): string | null => parseKey(data) ?? null,
	visibleWidth: (text: string): number => visibleWidth(text),
	wrapTextWithAnsi: (text: string, width: number): string[] => wrapTextWithAnsi(text, width),
};
