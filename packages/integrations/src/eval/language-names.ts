/** The languages of cells. */
export const languages = ["python", "js"] as const;
export type Language = (typeof languages)[number];

export const languageNames: Readonly<Record<Language, string>> = { python: "Python", js: "JavaScript" };
