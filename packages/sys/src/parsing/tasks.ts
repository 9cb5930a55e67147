/** What the worker process of this package does: each task loads its code at its first use. */
import type { addToArchive, listArchive, readArchiveEntry } from "../archives/archive-file.ts";
import type { readDocument } from "../documents/read.ts";
import type { convert } from "../html/convert.ts";
import type { convert as convertImage } from "../images/convert.ts";
import type { fit } from "../images/fit.ts";
import type { answerQuestion } from "../sqlite/answer.ts";

const archives = () => import("../archives/archive-file.ts");

export const tasks = {
	document: async (...args: Parameters<typeof readDocument>) =>
		(await import("../documents/read.ts")).readDocument(...args),
	archiveList: async (...args: Parameters<typeof listArchive>) => (await archives()).listArchive(...args),
	archiveEntry: async (...args: Parameters<typeof readArchiveEntry>) =>
		(await archives()).readArchiveEntry(...args),
	archiveAdd: async (...args: Parameters<typeof addToArchive>) => (await archives()).addToArchive(...args),
	image: async (...args: Parameters<typeof fit>) => (await import("../images/fit.ts")).fit(...args),
	imageConversion: async (...args: Parameters<typeof convertImage>) =>
		(await import("../images/convert.ts")).convert(...args),
	page: async (...args: Parameters<typeof convert>) => (await import("../html/convert.ts")).convert(...args),
	database: async (...args: Parameters<typeof answerQuestion>) =>
		(await import("../sqlite/answer.ts")).answerQuestion(...args),
} as const;
