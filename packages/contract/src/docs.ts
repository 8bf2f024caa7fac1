/** Something that the search field of the documentation can find. */
export type DocsSearchEntry = {
  title: string;
  /** Relative to the service. */
  url: string;
  /** `Guide`, the title of the section, or the method and path of an operation. */
  kind: string;
  /** The words to search in addition to the title. */
  text: string;
};
