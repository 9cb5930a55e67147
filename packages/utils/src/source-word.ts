/** Which words can only be meant as the source of a package: the command line asks before anything else is loaded. */

/** One that has to be fetched. */
export const remoteWord = /^(?:npm|git|github):.|^(?:https?|ssh|git|file):\/\//i;

const pathWord = /^(?:\.{1,2}|~)?\/|^\.{1,2}$/;

export const sourceWord = new RegExp(`${remoteWord.source}|${pathWord.source}`, "i");
