package sluice.client;

import java.io.File;
import sluice.client.api.FilesApi;
import sluice.client.model.FileList;
import sluice.client.model.StoredFile;

/** The files of batches. It is handwritten: the generated API knows single pages. */
public final class Files {
    private final FilesApi api;

    Files(Sluice sluice) {
        this.api = new FilesApi(sluice.api());
    }

    /** Stores a file with the lines of a batch. */
    public StoredFile upload(File file) {
        return Sluice.done(() -> api.uploadFile(file, "batch").execute());
    }

    /** The text of a file. */
    public String content(String id) {
        return Sluice.done(() -> api.getFileContent(id).execute());
    }

    /** All files, newest first. */
    public Iterable<StoredFile> list() {
        return Sluice.pages(
                after -> Sluice.done(() -> api.listFiles().after(after).execute()),
                FileList::getData,
                list -> list.getHasMore() ? list.getLastId() : null);
    }
}
